"""Weight matrices of a layer, to follow its steps number by number.

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
    """Weights and biases of a step; each row of weights computes one output number.

    Biases that a map lacks are 0 (`Inside.biases` names those that it has).

    * `query`, `keys`, `values` of a head: `w_query` `(d, D)`, `b_query` `(d,)`; `w_key`, `b_key`;
      `w_value`, `b_value`.
    * `projection`, after the attention of this kind: `w_output` `(D, H d)`, `b_output` `(D,)`.
    * `feedforward` of the layer: `w_hidden` `(F, D)`, `b_hidden` `(F,)`, `w_feedforward` `(D, F)`,
      `b_feedforward` `(D,)`; if it is gated, also `w_gate` `(F, D)`, `b_gate` `(F,)`.
    * `classifier_hidden`, the hidden layer of the classifier, whatever the layer: `w_hidden` `(D,
      D)`, `b_hidden` `(D,)`.
    * `mapping` of narrower embeddings, whatever the layer: `w_mapping` `(D, E)`, `b_mapping`
      `(D,)`.

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
        gate = _named_weights("gate", feedforward.gate) if feedforward.gate else {}
        hidden, output = _named_weights("hidden", feedforward.hidden), _named_weights("feedforward", feedforward.output)
        return {**gate, **hidden, **output}
    name, maps = {
        "query": ("query", attention.query),
        "keys": ("key", attention.key),
        "values": ("value", attention.value),
    }[step]
    shared = head if step == "query" else head * anatomy.key_heads // anatomy.heads  # heads may share keys and values
    return _named_weights(name, maps.rows(slice(shared * anatomy.width, (shared + 1) * anatomy.width)))


def _named_weights(name: str, linear: Linear) -> Mapping[str, np.ndarray]:
    """`w_<name>` and `b_<name>`."""
    return dict(zip((f"w_{name}", f"b_{name}"), weights_of(linear), strict=True))
