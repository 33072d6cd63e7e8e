"""Tiny random networks of `transformers`, of every family, and fast tokenizers with a small vocabulary."""

import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedModel, PreTrainedTokenizerFast

VOCABULARY = 60
SIZES = dict(
    vocab_size=VOCABULARY,
    hidden_size=32,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=48,
    max_position_embeddings=40,
)
_RELATIVE = dict(relative_attention=True, pos_att_type=["c2p", "p2c"], type_vocab_size=0)
# By family: the prefix of the library's classes, and what differs from SIZES.
FAMILIES: dict[str, tuple[str, dict]] = {
    "bert": ("Bert", {}),
    "roberta": ("Roberta", dict(type_vocab_size=1, pad_token_id=1)),
    "distilbert": (
        "DistilBert",
        dict(vocab_size=VOCABULARY, dim=32, n_layers=3, n_heads=4, hidden_dim=48, max_position_embeddings=40),
    ),
    "mpnet": ("MPNet", dict(pad_token_id=1)),
    "albert": ("Albert", dict(embedding_size=16, num_hidden_groups=1)),
    "electra": ("Electra", dict(embedding_size=16)),
    "deberta": ("Deberta", _RELATIVE),
    "deberta-v2": ("DebertaV2", dict(_RELATIVE, position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True)),
    "xlm-roberta": ("XLMRoberta", dict(type_vocab_size=1, pad_token_id=1)),
    "camembert": ("Camembert", dict(type_vocab_size=1, pad_token_id=1)),
}

CORE = ("bert", "roberta", "distilbert", "mpnet")
# Each family is compared with the library in every run; the rest is tested of all of them in `make test-slow`.
CORE_FIRST = [name if name in CORE else pytest.param(name, marks=pytest.mark.slow) for name in FAMILIES]


def network(family: str, kind: str = "ForSequenceClassification", seed: int = 0, **sizes: object) -> PreTrainedModel:
    """A network in eval mode, its weights large enough that attention is far from uniform."""
    prefix, different = FAMILIES[family]
    base = {} if family == "distilbert" else SIZES
    labels = dict(num_labels=3) if kind == "ForSequenceClassification" else {}
    config = getattr(transformers, f"{prefix}Config")(**{**base, **different, **labels, **sizes})
    torch.manual_seed(seed)
    result = getattr(transformers, f"{prefix}{kind}")(config).eval()
    for parameter in result.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return result


def inputs() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """ids, segments and mask `(2, 7)`; the second row has two tokens of padding."""
    ids = torch.randint(5, VOCABULARY, (2, 7), generator=torch.Generator().manual_seed(1))
    segments, mask = torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
    segments[:, 4:], mask[1, 5:] = 1, False
    return ids, segments, mask


def wordpiece(max_tokens: int = 32) -> PreTrainedTokenizerFast:
    """As of BERT: lower case, `[CLS] a [SEP] b [SEP]`, the second text in segment 1."""
    words = ["the", "cat", "sat", "on", "mat", "lay", "rug", "un", "##bel", "##iev", "##ably", "film", "is", "not"]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, "good", "don", "'", "t", ".", ",", "a", "b"]
    tokenizer = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.decoder = decoders.WordPiece()
    names = dict(unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=max_tokens, **names)


def byte_pairs(max_tokens: int = 32) -> PreTrainedTokenizerFast:
    """As of RoBERTa: bytes, joined to `Ġcat` and `Ġsat`, `<s> a </s></s> b </s>`, both texts in segment 0."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("c", "a"), ("ca", "t"), ("Ġ", "cat"), ("s", "a"), ("sa", "t"), ("Ġ", "sat")]
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *alphabet, *("".join(pair) for pair in merges)]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    names = dict(unk_token="<unk>", bos_token="<s>", cls_token="<s>", sep_token="</s>", eos_token="</s>")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", model_max_length=max_tokens, **names)


# The template of a chat with that tokenizer, which has `<s>` twice if nobody looks: `<s><pad>u:cat</s><pad>a:`.
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<pad>{{ message['role'][0] }}:{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<pad>a:{% endif %}"
)
