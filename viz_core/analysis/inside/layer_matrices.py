"""The large matrices of a layer, by which its steps are followed number by number: of queries, keys and values of a
head, of the output projection, of the feed-forward, of the hidden layer of a classifier that has one, and of the
mapping of narrower embeddings.

Shapes: E width of the embeddings, D model width, d width of a head, F width of the feed-forward.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
from torch import nn

from viz_core.analysis.inside.inside import require_head
from viz_core.analysis.inside.steps import head_columns
from viz_core.analysis.inside.streams import numbers, sublayer
from viz_core.checkpoints import Checkpoint
from viz_core.models.classifier import HiddenClassifier
from viz_core.models.encoder import EmbeddingProjection, Encoder
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.layers import Layer
from viz_core.records import Failure
from viz_core.records.translation import Kind

MatrixStep = Literal["mapping", "query", "keys", "values", "projection", "feedforward", "classifier_hidden"]
MATRIX_STEPS: tuple[MatrixStep, ...] = get_args(MatrixStep)
_OF_HEAD = {"query": "query", "keys": "key", "values": "value"}  # step -> projection


def layer_matrices(
    checkpoint: Checkpoint, kind: Kind, layer: int, step: MatrixStep, head: int = 0
) -> Mapping[str, np.ndarray]:
    """Weights, a row for each number that comes out, and biases. Of the queries of a head `w_query` `(d, D)`, `b_query`
    `(d,)`, of its keys `w_key`, `b_key`, of its values `w_value`, `b_value`. Of the projection after the attention of a
    kind `w_output` `(D, D)`, `b_output` `(D,)`; of the feed-forward of the same layer `w_hidden` `(F, D)`, `b_hidden`
    `(F,)`, `w_feedforward` `(D, F)`, `b_feedforward` `(D,)`. Of the hidden layer of the classifier `w_hidden` `(D, D)`,
    `b_hidden` `(D,)`, and of the mapping of narrower embeddings `w_mapping` `(D, E)`, `b_mapping` `(D,)`, whatever the
    layer. Raises Failure if the model has no such layer or head, or nothing to map."""
    require_head(checkpoint, kind, layer, head)
    if step == "mapping":
        mapping = getattr(checkpoint.model, "stem", None)
        if not isinstance(mapping, EmbeddingProjection):
            raise Failure("inside.no_mapping", name=checkpoint.name)
        return _linear("mapping", mapping)
    if step == "classifier_hidden":
        classifier = getattr(checkpoint.model, "classifier", None)
        if not isinstance(classifier, HiddenClassifier):
            raise Failure("inside.no_hidden_classifier", name=checkpoint.name)
        return _linear("hidden", classifier.hidden)
    module = stack_layers(checkpoint.model, kind)[layer]
    attention, _ = sublayer(module, kind)
    if name := _OF_HEAD.get(step):
        config = checkpoint.model.config
        columns = head_columns(head, config.width // config.heads)
        return {key: values[columns] for key, values in _linear(name, getattr(attention, name)).items()}
    if step == "projection":
        return _linear("output", attention.output)
    first, *_, last = module.feedforward
    return _linear("hidden", first) | _linear("feedforward", last)


def stack_layers(model: Encoder | EncoderDecoder, kind: Kind) -> nn.ModuleList[Layer]:
    """The layers of the stack that has this kind of attention."""
    if isinstance(model, Encoder):
        return model.layers
    return model.encoder_layers if kind == "self" else model.decoder_layers


def _linear(name: str, module: nn.Linear) -> dict[str, np.ndarray]:
    return {f"w_{name}": numbers(module.weight), f"b_{name}": numbers(module.bias)}
