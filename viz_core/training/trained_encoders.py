"""An encoder that this project trained as the start of another training: on longer texts, with a teacher, or for
another task."""

import hashlib
from dataclasses import asdict

from tokenizers import Tokenizer

from viz_core import checkpoints
from viz_core.checkpoints import CheckpointInfo
from viz_core.models.encoder import Encoder
from viz_core.models.protocol import Network
from viz_core.records import Failure
from viz_core.tasks import all_tasks
from viz_core.text.tokenizer_file import read_tokenizer

_POSITIONS = "embedding.position.weight"
_CHANGEABLE = ("classes", "dropout", "attention_dropout")  # what the weights of the layers do not decide


def decided_fields(name: str) -> dict:
    """The fields of its config that its weights decide. name: `TASK/NAME`. Raises Failure if there is no such
    encoder."""
    config = asdict(_find(name).settings.config)
    return {field: value for field, value in config.items() if field not in _CHANGEABLE}


def shorten_tokenizer(name: str, max_tokens: int) -> Tokenizer:
    """Its tokenizer, which truncates texts to max_tokens, or to fewer if it does so already. Raises Failure."""
    file = _find(name).path / checkpoints.TOKENIZER
    try:
        tokenizer = read_tokenizer(file)
    except (OSError, ValueError) as error:
        raise Failure("checkpoints.corrupt", name=name, file=file.name, reason=str(error)) from error
    truncation = tokenizer.truncation or {}  # every tokenizer of ours has one
    length = min(max_tokens, truncation["max_length"])
    tokenizer.enable_truncation(**{**truncation, "max_length": length})
    return tokenizer


def start_from_checkpoint(model: Encoder, name: str) -> None:
    """Replaces all weights, in place, but those of a classifier of another number of classes; of the positions the
    first ones are used. Raises Failure."""
    info = _find(name)
    trained: Network = checkpoints.load_folder(info.path, info.task).model
    weights = trained.state_dict()
    if _POSITIONS in weights:
        weights[_POSITIONS] = weights[_POSITIONS][: model.config.max_tokens]
    if info.settings.config.classes != model.config.classes:
        weights |= {f"classifier.{part}": tensor for part, tensor in model.classifier.state_dict().items()}
    model.load_state_dict(weights)


def provenance(name: str) -> dict[str, str]:
    """What a model card says of it, with the pre-trained encoder that it was itself made of, and whose licence it has.
    Raises Failure."""
    info = _find(name)
    sha256 = hashlib.sha256((info.path / checkpoints.WEIGHTS).read_bytes()).hexdigest()
    match info.metrics.entries.get("pretrained"):
        case {"name": str(origin), "licence": str(licence)}:
            return {"name": f"{name}, made of {origin}", "licence": licence, "sha256": sha256}
    return {"name": name, "licence": "", "sha256": sha256}


def _find(name: str) -> CheckpointInfo:
    task, _, model = name.partition("/")
    info = checkpoints.find(task, model) if task in all_tasks() else None
    if info is None or info.settings.kind != "encoder":
        raise Failure("pretrained.no_encoder", name=name)
    return info
