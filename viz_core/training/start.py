"""What a training may start from, as the setting `encoder` names it.

It is a pre-trained encoder from elsewhere (`path:…`, `hf:…`), or an encoder or a language model that
this project trained (`TASK/NAME`): on longer or on more texts, with a teacher, or for another task. An
encoder may start as a language model, too.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import torch
from tokenizers import Tokenizer

from viz_core import checkpoints
from viz_core.adapters import pretrained_weights
from viz_core.adapters.pretrained import convert_tokenizer, read_pretrained
from viz_core.adapters.references import find_folder, is_reference
from viz_core.checkpoints import CheckpointInfo
from viz_core.models.encoder import Encoder
from viz_core.models.protocol import Network
from viz_core.records import Failure, failing
from viz_core.tasks import find_task, get_task
from viz_core.text.tokenizer_file import read_tokenizer
from viz_core.training.language_start import can_become_encoder, encoder_fields, encoder_weights

_POSITIONS = {"encoder": "embedding.position.weight", "decoder": "position.weight"}  # by kind of model
_CHANGEABLE = ("classes", "dropout", "attention_dropout")  # fields that the weights of the layers do not decide


def model_fields(encoder: str, kind: str, most_tokens: int, values: Mapping) -> dict:
    """The config fields that the weights of an encoder decide, for texts of up to `most_tokens` tokens.

    Args:
        encoder: The encoder to start from.
        kind: Of the model that starts from it, a key of `models.kinds`.
        most_tokens: Longest text.
        values: Fields that a person has set.

    Raises:
        ValueError: If the model cannot start from it, or a field contradicts the weights, naming the first.
        Failure: If the encoder cannot be used.
    """
    if is_reference(encoder):
        pretrained = read_pretrained(encoder)
        config, name, of_kind = pretrained.config, pretrained.name, "encoder"
    else:
        settings = _find(encoder).settings
        trained, name, of_kind = asdict(settings.config), encoder, settings.kind
        config = {field: value for field, value in trained.items() if field not in _CHANGEABLE}
        if (kind, of_kind) == ("encoder", "decoder") and can_become_encoder(settings.config):
            config, of_kind = {**encoder_fields(trained), "max_tokens": most_tokens}, kind
    if kind != of_kind:
        raise ValueError(f"{encoder} is of kind {of_kind}: the {kind} model cannot start from it")
    for field, value in values.items():
        most = config.get(field, value)
        if value > most if field == "max_tokens" else value != most:
            raise ValueError(f"{field} is {value}: {name}, which it starts from, has {most}; leave it out")
    return {**config, "max_tokens": min(most_tokens, config["max_tokens"])}


def start_tokenizer(encoder: str, max_tokens: int) -> Tokenizer:
    """The tokenizer of the encoder, which truncates texts to `max_tokens`.

    A model of ours that already truncates to fewer tokens keeps its limit, unless its positions are rotary.

    Raises:
        Failure: If the tokenizer cannot be used.
    """
    if is_reference(encoder):
        return convert_tokenizer(find_folder(encoder), max_tokens)[0]
    info = _find(encoder)
    config: Any = info.settings.config
    file = info.path / checkpoints.TOKENIZER
    with failing((OSError, ValueError), "checkpoints.corrupt", name=encoder, file=file.name):
        tokenizer = read_tokenizer(file)
    truncation = tokenizer.truncation or {}  # every tokenizer of ours has one
    limit = max_tokens if config.positions == "rotary" else truncation["max_length"]
    tokenizer.enable_truncation(**{**truncation, "max_length": min(max_tokens, limit)})
    return tokenizer


def start_from(model: Network, encoder: str, labels: Sequence[str]) -> None:
    """Replace the weights of a model in place by those of the encoder.

    Of the classifier, those of the classes that the encoder knows by name; the others keep their
    own. Of the positions the first ones are used.

    Args:
        model: The model.
        encoder: What it starts from.
        labels: Names of its classes, by number; empty without a classifier.

    Raises:
        Failure: If the weights cannot be used.
    """
    if is_reference(encoder):
        pretrained_weights.start_from_encoder(model, encoder)
        return
    info = _find(encoder)
    trained: Network = checkpoints.load_folder(info.path, info.task).model
    weights = trained.state_dict()
    if info.settings.kind == "decoder" and isinstance(model, Encoder):
        weights = encoder_weights(weights)
    if (positions := _POSITIONS[info.settings.kind]) in weights:
        weights[positions] = weights[positions][: model.config.max_tokens]
    if labels:
        known = get_task(info.task).labels
        for part, own in model.classifier.state_dict().items():
            rows = dict(zip(known, weights.get(f"classifier.{part}", ()), strict=True))
            merged = [rows.get(label, row) for label, row in zip(labels, own, strict=True)]
            weights[f"classifier.{part}"] = torch.stack(merged)
    model.load_state_dict(weights)


def provenance(encoder: str) -> dict[str, object]:
    """What a model card says of the encoder: name, licence, and sha256 of its weights.

    For an encoder of ours it also names the pre-trained encoder that it was made from, whose
    licence it has, and says how it was trained.

    Raises:
        Failure: If the encoder cannot be read.
    """
    if is_reference(encoder):
        return {**pretrained_weights.provenance(encoder)}
    info = _find(encoder)
    sha256 = hashlib.sha256((info.path / checkpoints.WEIGHTS).read_bytes()).hexdigest()
    entries = info.metrics.entries
    training = {name: entries[name] for name in ("recipe", "device", "wall_seconds", "pretrained") if name in entries}
    if not info.origin:
        return {"name": encoder, "licence": "", "sha256": sha256, "training": training}
    licence = entries["pretrained"].get("licence", "")
    return {"name": f"{encoder}, made of {info.origin}", "licence": licence, "sha256": sha256, "training": training}


def _find(name: str) -> CheckpointInfo:
    """Find a model that this project trained and that others can start from.

    Args:
        name: `TASK/NAME`.

    Raises:
        Failure: If there is none.
    """
    task, _, model = name.partition("/")
    info = checkpoints.find(task, model) if find_task(task) else None
    if info is None and (command := checkpoints.fetch_command(task, model)):
        raise Failure("checkpoints.not_fetched", name=name, command=command)
    if info is None or info.settings.kind not in _POSITIONS:
        raise Failure("pretrained.no_encoder", name=name)
    return info
