"""Small models for many tests: a tokenizer of a few words, a tiny encoder, a checkpoint of both."""

from pathlib import Path

import torch

from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.models.bag import Bag
from viz_core.models.baseline_configs import BagConfig
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.tasks import get_task
from viz_core.text.building import build_word_tokenizer
from viz_core.text.tokenizer import TextEncoder

REVIEWS = ["a good film and a good story", "a bad film with a bad story", "not a good film"]
QUESTIONS = ["花呗怎么还款", "花呗如何还钱", "借呗怎么还款"]


def text_encoder(task: str, max_tokens: int = 16) -> TextEncoder:
    """A tokenizer whose vocabulary is the words of REVIEWS, or the characters of QUESTIONS."""
    if task == "imdb":
        return get_task(task).text_encoder(build_word_tokenizer(REVIEWS, max_tokens, min_count=1))
    return get_task(task).text_encoder(get_task(task).build_tokenizer(QUESTIONS, max_tokens))


def config(**values) -> EncoderConfig:
    return EncoderConfig(
        **{**dict(vocabulary=30, max_tokens=16, layers=2, heads=2, width=8, feedforward=16, dropout=0.0), **values}
    )


def encoder(seed: int = 0, **values) -> Encoder:
    """An encoder in eval mode, with weights large enough for clearly non-uniform attention."""
    torch.manual_seed(seed)
    model = Encoder(config(**values)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


def batch(*lengths: int, vocabulary: int = 30, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Random ids, segments (1 in the second half of each row) and mask, `(B, T)` each, for rows of these lengths."""
    generator = torch.Generator().manual_seed(seed)
    longest = max(lengths)
    positions = torch.arange(longest).expand(len(lengths), -1)
    mask = positions < torch.tensor(lengths)[:, None]
    ids = torch.randint(4, vocabulary, (len(lengths), longest), generator=generator) * mask
    segments = (positions >= torch.tensor(lengths)[:, None] // 2).long() * mask
    return ids, segments, mask


def save_checkpoint(root: Path, task: str, name: str = "tiny", caution: str = "", **config: int) -> Path:
    """Saves an untrained model in the folder `<root>/<task>/<name>` and returns the folder. config: as of `encoder`."""
    text = text_encoder(task)
    model = encoder(vocabulary=text.vocabulary, max_tokens=text.max_tokens, **config)
    settings = Settings(task, model.config, temperature=2.0, threshold=0.4, caution=caution)
    checkpoints.save(root / task / name, settings, model, text, {"task": task, "validation": {"accuracy": 0.5}})
    return root / task / name


def save_bag(root: Path, name: str, bias: float) -> Path:
    """Saves a bag of embeddings, which has no attention, in `<root>/imdb/<name>`; with a bias of 20 it predicts
    positive, with −20 negative, whatever the text."""
    text = text_encoder("imdb")
    model = Bag(BagConfig(vocabulary=text.vocabulary, max_tokens=text.max_tokens, width=4, bigrams=0))
    with torch.no_grad():
        model.classifier.bias.copy_(torch.tensor([-bias, bias]))
    metrics = {"task": "imdb", "validation": {"accuracy": 0.5}}
    checkpoints.save(root / "imdb" / name, Settings("imdb", model.config, kind="bag"), model, text, metrics)
    return root / "imdb" / name
