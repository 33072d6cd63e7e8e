"""The large matrices of a layer, by which its steps are followed number by number: of queries, keys and values of a head, of the output projection, of the feed-forward, of the hidden layer of a classifier that has one, and of the mapping of narrower embeddings.

Shapes: E width of the embeddings, D model width, d width of a head, F width of the feed-forward.
"""

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from viz_core.analysis.inside.passes import require_head
from viz_core.analysis.inside.steps import weights_of
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import Linear
from viz_core.records import Failure
from viz_core.records.translation import Kind

MatrixStep = Literal["mapping", "query", "keys", "values", "projection", "feedforward", "classifier_hidden"]
MATRIX_STEPS: tuple[MatrixStep, ...] = get_args(MatrixStep)


def layer_matrices(
    checkpoint: Checkpoint, kind: Kind, layer: int, step: MatrixStep, head: int = 0
) -> Mapping[str, np.ndarray]:
    """Weights, a row for each number that comes out, and biases.

    Of the queries of a head `w_query` `(d, D)`, `b_query` `(d,)`, of its keys `w_key`, `b_key`, of
    its values `w_value`, `b_value`. Of the projection after the attention of a kind `w_output` `(D,
    D)`, `b_output` `(D,)`; of the feed-forward of the same layer `w_hidden` `(F, D)`, `b_hidden`
    `(F,)`, `w_feedforward` `(D, F)`, `b_feedforward` `(D,)`. Of the hidden layer of the classifier
    `w_hidden` `(D, D)`, `b_hidden` `(D,)`, and of the mapping of narrower embeddings `w_mapping`
    `(D, E)`, `b_mapping` `(D,)`, whatever the layer.

    Raises:
        Failure: If the model has no such layer or head, or nothing to map.
    """
    anatomy = require_head(checkpoint, kind, layer, head)
    stack = anatomy.stack(kind)
    attention, feedforward = stack.layers[layer].attentions[kind], stack.layers[layer].feedforward
    if step == "mapping":
        if not stack.mapping:
            raise Failure("inside.no_mapping", name=checkpoint.name)
        return _named_weights("mapping", stack.mapping)
    if step == "classifier_hidden":
        if not anatomy.classifier_hidden:
            raise Failure("inside.no_hidden_classifier", name=checkpoint.name)
        return _named_weights("hidden", anatomy.classifier_hidden)
    if step == "projection":
        return _named_weights("output", attention.output)
    if step == "feedforward":
        return {**_named_weights("hidden", feedforward.hidden), **_named_weights("feedforward", feedforward.output)}
    name, maps = {
        "query": ("query", attention.query),
        "keys": ("key", attention.key),
        "values": ("value", attention.value),
    }[step]
    shared = head if step == "query" else head * anatomy.key_heads // anatomy.heads  # several heads may have the same
    return _named_weights(name, maps.rows(slice(shared * anatomy.width, (shared + 1) * anatomy.width)))


def _named_weights(name: str, linear: Linear) -> Mapping[str, np.ndarray]:
    """`w_<name>` and `b_<name>`."""
    return dict(zip((f"w_{name}", f"b_{name}"), weights_of(linear), strict=True))
