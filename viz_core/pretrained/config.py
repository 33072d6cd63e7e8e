"""What a folder says about its pre-trained encoder, in the words of our `EncoderConfig`. Importing this does not load
torch, for which submitting a training need not wait."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shorten

from viz_core.adapters.folder import FolderSummary, read_folder
from viz_core.adapters.references import display_name, find_folder
from viz_core.bounded_json import require_regular
from viz_core.models.config import EncoderConfig
from viz_core.pretrained.families import FAMILIES, Family
from viz_core.records import Failure

_CARD = "README.md"
_MAX_CARD = 100_000  # bytes
ACTIVATIONS = ("gelu", "relu")  # those that are computed exactly as ours
# Of all families; entries of a config replace those with the same name.
COMMON = {
    "norm": "post",
    "embedding_norm": True,
    "norm_epsilon": 1e-12,
    "positions": "learned",
    "segments": 2,
    "overlap": False,
    "stem": "none",
}


@dataclass(frozen=True)
class Pretrained:
    """A pre-trained encoder. files: its folder. config: the fields of `EncoderConfig` that its weights decide;
    max_tokens and vocabulary are the most that it has. name, licence: from its card, the latter empty if that names
    none."""

    reference: str
    files: FolderSummary
    family: Family
    config: Mapping
    name: str
    licence: str


def read_pretrained(reference: str) -> Pretrained:
    """The pre-trained encoder that a reference names (`adapters/references.py`). Raises Failure if there is none, or
    none that can be ours."""
    files = read_folder(find_folder(reference), display_name(reference))
    if files.family not in FAMILIES:
        known = [family.name for family in FAMILIES.values()]
        raise Failure("pretrained.family", reference=reference, family=shorten(files.family), known=known)
    family = FAMILIES[files.family]
    try:
        config = _our_config(family, files.config)
    except ValueError as error:
        raise Failure("pretrained.bad_config", reference=reference, reason=str(error)) from error
    card = _read_card(files.path)
    name = _first(r"^# +(.+)$", card) or display_name(reference)
    return Pretrained(reference, files, family, config, name, _first(r"^license: *(\S+)", card))


def _our_config(family: Family, values: Mapping) -> dict:
    """Raises ValueError, naming the entry, if it cannot be ours."""
    for name, value in family.fixed.items():
        if values.get(name, value) != value:
            raise ValueError(f"{name} is {shorten(values[name])}: only {value!r} is what our encoder computes")
    if values.get("embedding_size", values.get("hidden_size")) != values.get("hidden_size"):
        raise ValueError("its embeddings have another width than its layers, which our encoder cannot have")
    if missing := [name for name in family.sizes.values() if name not in values]:
        raise ValueError(f"{', '.join(missing)} is missing")
    config = COMMON | {ours: values[theirs] for ours, theirs in family.sizes.items()}
    if config["activation"] not in ACTIVATIONS:
        raise ValueError(
            f"{family.sizes['activation']} is {shorten(config['activation'])}: our encoder has gelu and relu"
        )
    EncoderConfig.from_dict(config)
    if config["segments"] < 2:
        raise ValueError("it has no segments to tell the sentences of a pair apart")
    return config


def _read_card(folder: Path) -> str:
    """The beginning of its card; empty if there is none that can be read."""
    try:
        require_regular(folder / _CARD)
        with (folder / _CARD).open("rb") as file:
            return file.read(_MAX_CARD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _first(pattern: str, text: str) -> str:
    """What the first match of a pattern names, of at most 100 characters; empty without a match."""
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip()[:100] if match else ""
