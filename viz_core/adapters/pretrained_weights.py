"""Copy the weights of a pre-trained encoder into ours, by the names of its family."""

import hashlib
from collections.abc import Iterator

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from viz_core.adapters.pretrained import Pretrained, convert_tokenizer, read_pretrained
from viz_core.checkpoints.settings import check_size
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.records import Failure
from viz_core.weights_header import find_misfit

_TOKENS, _POSITIONS, _SEGMENTS = (f"embedding.{name}.weight" for name in ("token", "position", "segment"))


def start_from_encoder(model: Encoder, reference: str) -> None:
    """Replace all weights but those of the classifier, in place, using the first `max_tokens` positions.

    Nothing is loaded before the header of the file has been compared with the config.

    Raises:
        Failure: If a tensor is missing, has another shape, or is not finite floating-point.
    """
    pretrained = read_pretrained(reference)
    _, order = convert_tokenizer(pretrained.files.path, model.config.max_tokens)
    try:
        check_size(model.config)
        weights = _read_weights(pretrained)
        if len(order) > len(weights[_TOKENS]):
            raise ValueError(
                f"there are {len(weights[_TOKENS]):,} token embeddings for {len(order):,} tokens: each token needs one"
            )
    except (SafetensorError, OSError, ValueError) as error:
        raise Failure("pretrained.misfit", reference=reference, reason=f"{error}.") from error
    weights[_TOKENS] = weights[_TOKENS][torch.from_numpy(order)]
    weights[_POSITIONS] = weights[_POSITIONS][: model.config.max_tokens]
    classifier = {name: tensor for name, tensor in model.state_dict().items() if name.startswith("classifier.")}
    model.load_state_dict(weights | classifier)


def provenance(reference: str) -> dict[str, str]:
    """Return name, licence and sha256 of the weights of a pre-trained encoder, for a model card.

    Raises:
        Failure: As `read_pretrained`.
    """
    pretrained, digest = read_pretrained(reference), hashlib.sha256()
    for path in pretrained.files.weights:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return {"name": pretrained.name, "licence": pretrained.licence, "sha256": digest.hexdigest()}


def _read_weights(pretrained: Pretrained) -> dict[str, Tensor]:
    """Read all weights by our names, in 32 bits.

    Raises:
        Failure: If names or shapes of the tensors do not fit.
        OSError: If a file cannot be read.
        SafetensorError: If a file is not valid safetensors.
        ValueError: With a reason, if numbers are not finite.
    """
    config, files = pretrained.config, pretrained.files
    with torch.device("meta"):  # shapes without memory
        expected = Encoder(EncoderConfig.from_dict(config)).state_dict()
    ours = {theirs: name for name, theirs in tensor_names(pretrained, config["layers"])}
    prefix = f"{files.family}."  # where there is a head as well
    if next(iter(ours)) not in files.shapes:
        ours = {prefix + theirs: name for theirs, name in ours.items()}
    if misfit := find_misfit(files.shapes, {theirs: tuple(expected[name].shape) for theirs, name in ours.items()}):
        raise Failure("pretrained.misfit", reference=pretrained.reference, reason=misfit)
    weights: dict[str, Tensor] = {}
    for path in files.weights:
        with safe_open(path, "pt") as file:
            weights |= {ours[theirs]: file.get_tensor(theirs).float() for theirs in ours.keys() & set(file.keys())}
    if names := [theirs for theirs, name in ours.items() if not weights[name].isfinite().all()]:
        raise ValueError(f"the tensor {names[0]} has numbers that are not finite")
    without = {_SEGMENTS: torch.zeros(config["segments"], config["width"])}  # for a family without segments
    return without | weights


def tensor_names(pretrained: Pretrained, layers: int) -> Iterator[tuple[str, str]]:
    """Yield our name and their name of each tensor, the token embeddings first."""
    parts = pretrained.parts
    for ours, theirs in parts.embeddings.items():
        for part in ("weight", "bias") if ours.endswith("norm") else ("weight",):
            yield f"{ours}.{part}", f"{theirs}.{part}"
    for number in range(layers):
        for ours, theirs in parts.layer.items():
            for part in ("weight", "bias"):
                yield f"layers.{number}.{ours}.{part}", f"{pretrained.start.layers}.{number}.{theirs}.{part}"
