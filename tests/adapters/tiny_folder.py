"""A folder as the hub has them: a tiny random encoder of `transformers`, and a WordPiece tokenizer of a few words."""

import json
from pathlib import Path

from transformers import PreTrainedModel

from tests.adapters.tiny_networks import network

# As in BERT's vocabulary the special tokens are not the first four.
WORDS = "the a film is was not good bad story un ##watch ##able . , ' t don"
TOKENS = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split()]
NORMALIZER = dict(type="BertNormalizer", clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)


def tokenizer_structure(**parts) -> dict:
    """The contents of its tokenizer.json."""
    model = dict(
        type="WordPiece",
        unk_token="[UNK]",
        continuing_subword_prefix="##",
        max_input_chars_per_word=100,
        vocab={token: number for number, token in enumerate(TOKENS)},
    )
    return {"model": model, "normalizer": NORMALIZER, "pre_tokenizer": {"type": "BertPreTokenizer"}, **parts}


def save_pretrained(folder: Path, family: str = "bert", kind: str = "Model", **sizes) -> PreTrainedModel:
    """Writes the folder; the model is returned in eval mode. sizes: of the config of the family."""
    model = network(family, kind, vocab_size=len(TOKENS), attn_implementation="eager", **sizes)
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_structure()), encoding="utf-8")
    (folder / "README.md").write_text(
        "---\nlanguage: en\nlicense: mit\n---\n\n# tiny-bert\n\nRandom.", encoding="utf-8"
    )
    return model


def change_config(folder: Path, **entries) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **entries}), encoding="utf-8")
