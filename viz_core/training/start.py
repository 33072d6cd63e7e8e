"""What a training may start from, as the setting `encoder` names it: a pre-trained encoder from elsewhere (`path:…`,
`hf:…`), or an encoder that this project trained (`TASK/NAME`), which is trained further.

Importing this does not load torch, for which submitting a training need not wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from viz_core.adapters.pretrained import convert_tokenizer, read_pretrained
from viz_core.adapters.references import find_folder, is_reference

if TYPE_CHECKING:
    from viz_core.models.encoder import Encoder


def model_fields(encoder: str, most_tokens: int, values: Mapping) -> dict:
    """The fields of our config that its weights decide, for texts of up to `most_tokens` tokens. values: fields that a
    person has set. Raises ValueError, naming the first that contradicts the weights; Failure if it cannot be used."""
    if is_reference(encoder):
        pretrained = read_pretrained(encoder)
        config, name = pretrained.config, pretrained.name
    else:
        from viz_core.training.trained_encoders import decided_fields

        config, name = decided_fields(encoder), encoder
    for field, value in values.items():
        most = config.get(field, value)
        if value > most if field == "max_tokens" else value != most:
            raise ValueError(f"{field} is {value}: the pre-trained encoder {name} has {most}")
    return {**config, "max_tokens": min(most_tokens, config["max_tokens"])}


def start_tokenizer(encoder: str, max_tokens: int) -> Tokenizer:
    """Its tokenizer, which truncates texts to max_tokens. Raises Failure."""
    if is_reference(encoder):
        return convert_tokenizer(find_folder(encoder), max_tokens)[0]
    from viz_core.training.trained_encoders import shorten_tokenizer

    return shorten_tokenizer(encoder, max_tokens)


def start_from(model: Encoder, encoder: str) -> None:
    """Replaces the weights of a model in place; those of the classifier stay, unless the encoder classifies the same
    number of classes. Raises Failure if they cannot be used."""
    if is_reference(encoder):
        from viz_core.adapters.pretrained_weights import start_from_encoder

        start_from_encoder(model, encoder)
    else:
        from viz_core.training.trained_encoders import start_from_checkpoint

        start_from_checkpoint(model, encoder)


def provenance(encoder: str) -> dict[str, str]:
    """What a model card says of it: name, licence, and sha256 of its weights. Raises Failure."""
    from viz_core.adapters import pretrained_weights
    from viz_core.training import trained_encoders

    return (pretrained_weights if is_reference(encoder) else trained_encoders).provenance(encoder)
