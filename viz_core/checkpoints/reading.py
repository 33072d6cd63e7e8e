"""Read the files of a checkpoint folder, which anyone may have written; each is checked before it is used.

A file that cannot be used raises a Failure that names it, so that a damaged folder does not affect
others. Sizes in `config.json` are bounded (settings.py) and compared with the header of the weights
before memory is allocated for them.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load
from torch import Tensor

from viz_core.bounded_json import read_json_object, require_regular
from viz_core.checkpoints.settings import Settings, check_size
from viz_core.models.kinds import KINDS
from viz_core.models.protocol import Network
from viz_core.records import Failure, Message, Metrics
from viz_core.tasks import all_tasks, find_task, get_task
from viz_core.text import tokenizer_file
from viz_core.text.tokenizer import TextEncoder
from viz_core.weights_header import FLOATS, find_misfit, read_header

WEIGHTS, CONFIG, TOKENIZER, METRICS = "model.safetensors", "config.json", "tokenizer.json", "metrics.json"
CARD = "README.md"
MAX_CARD = 100_000  # bytes; the cards of our models have some 3,000
MAX_REASON = 200  # characters of an error that are quoted


def full_name(path: Path) -> str:
    """Return the name of the checkpoint in a folder for messages, `task/name`."""
    return f"{path.parent.name}/{path.name}"


def read_settings(path: Path) -> Settings:
    """Read the settings in `config.json`.

    Raises:
        Failure: If they are missing or invalid.
    """
    values = _read_json(path, CONFIG)
    try:
        settings = Settings.from_dict(values)
        check_size(settings.config)
    except KeyError as error:
        raise _bad_config(path, f"the setting {error} is missing") from error
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise _bad_config(path, _shorten(str(error))) from error
    if find_task(settings.task) is None:
        raise _bad_config(path, f"task is {settings.task!r}: it must be one of {', '.join(all_tasks())}")
    return settings


def _bad_config(path: Path, reason: str) -> Failure:
    return Failure("checkpoints.bad_config", name=full_name(path), reason=reason)


def read_metrics(path: Path) -> Metrics:
    """Read `metrics.json`; an entry of the wrong type counts as unknown where it is used.

    Raises:
        Failure: If the file is missing or cannot be read.
    """
    return Metrics(_read_json(path, METRICS))


def read_model(path: Path, settings: Settings) -> tuple[Network, str]:
    """Build the model and load its weights, on the CPU.

    Returns:
        The model, and the hash of exactly the bytes that its weights were read from.

    Raises:
        Failure: If the file does not have exactly the tensors of this model, with their shapes and
            finite floating-point numbers.
    """
    build = KINDS[settings.kind].build
    with torch.device("meta"):  # shapes and types without memory
        expected = build(settings.config).state_dict()
    try:
        _compare_header(path, expected)
        content = (path / WEIGHTS).read_bytes()  # once: the file may be replaced at any time
        weights = load(content)
    except FileNotFoundError as error:
        raise Failure("checkpoints.no_file", name=full_name(path), file=WEIGHTS) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise _corrupt(path, WEIGHTS, str(error)) from error
    _check_finite(path, weights)
    model = build(settings.config)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:  # it was replaced after its header was compared
        raise _corrupt(path, WEIGHTS, str(error)) from error
    return model, hashlib.sha256(content).hexdigest()


def _compare_header(path: Path, expected: Mapping[str, Tensor]) -> None:
    """Compare names, shapes and types of the tensors in a file with those of a model.

    Raises:
        Failure: If they differ.
        OSError: If the file cannot be read.
        SafetensorError: If it is not a valid safetensors file.
        ValueError: Likewise.
    """
    header = read_header(path / WEIGHTS)
    shapes = {name: tuple(tensor.shape) for name, tensor in expected.items()}
    if misfit := find_misfit({name: stored.shape for name, stored in header.items()}, shapes):
        raise _misfit(path, misfit)
    if unknown := set(header) - set(expected):
        values = {"tensor": _shorten(min(unknown)), "count": len(unknown)}
        raise _misfit(path, Message("checkpoints.unknown_tensor", values))
    for name, tensor in expected.items():
        if tensor.is_floating_point() and header[name].type not in FLOATS:
            kind = header[name].type
            raise Failure("checkpoints.not_floats", name=full_name(path), tensor=name, type=kind, types=FLOATS)


def _misfit(path: Path, reason: Message) -> Failure:
    return Failure("checkpoints.misfit", name=full_name(path), reason=reason)


def _check_finite(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Check that all weights are finite, as every result depends on them.

    Raises:
        Failure: If some are NaN or infinite.
    """
    if invalid := sum(int((~torch.isfinite(tensor)).sum()) for tensor in weights.values()):
        total = sum(tensor.numel() for tensor in weights.values())
        raise Failure("checkpoints.not_finite", name=full_name(path), invalid=invalid, total=total)


def read_tokenizer(path: Path, settings: Settings) -> TextEncoder:
    """Read the tokenizer.

    Raises:
        Failure: If it is missing, cannot be read, or does not fit the model.
    """
    if not (path / TOKENIZER).exists():
        raise Failure("checkpoints.no_file", name=full_name(path), file=TOKENIZER)
    try:
        tokenizer = tokenizer_file.read_tokenizer(path / TOKENIZER)
        text_encoder = get_task(settings.task).text_encoder(tokenizer)
    except Exception as error:  # the tokenizers library raises bare Exception
        raise _corrupt(path, TOKENIZER, str(error)) from error
    sizes, longest = settings.config, text_encoder.max_tokens
    if text_encoder.vocabulary != sizes.vocabulary:
        values = {"tokens": text_encoder.vocabulary, "embeddings": sizes.vocabulary}
        raise Failure("checkpoints.vocabulary", name=full_name(path), **values)
    if longest > sizes.max_tokens:
        raise Failure("checkpoints.length", name=full_name(path), tokens=longest, positions=sizes.max_tokens)
    return text_encoder


def read_card(path: Path) -> str:
    """Read the model card, up to MAX_CARD bytes; empty if there is none.

    Links are not followed: they would show visitors of the app any file that the server may read.
    """
    file = path / CARD
    try:
        require_regular(file)
        with file.open("rb") as content:
            return "" if file.is_symlink() else content.read(MAX_CARD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _read_json(path: Path, file: str) -> dict:
    try:
        return read_json_object(path / file)
    except FileNotFoundError as error:
        raise Failure("checkpoints.no_file", name=full_name(path), file=file) from error
    except (ValueError, OSError) as error:
        raise _corrupt(path, file, str(error)) from error


def _corrupt(path: Path, file: str, reason: str) -> Failure:
    return Failure("checkpoints.corrupt", name=full_name(path), file=file, reason=_shorten(reason))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_REASON else f"{text[: MAX_REASON - 1]}…"
