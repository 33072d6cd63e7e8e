"""Value-weighted attention: how much of a key reaches its query, beyond its share of the weight.

Kobayashi et al. 2020, "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms",
section 2.2, https://aclanthology.org/2020.emnlp-main.574. A head adds to query i the sum over keys
j of α_ij f(x_j), with the transformed vector f(x) = (x W_V + b_V) W_O, where W_O are the rows of
the output projection that belong to the head. Because α_ij is a non-negative number, ‖α_ij f(x_j)‖
= α_ij ‖f(x_j)‖: only the norms of the transformed vectors have to be computed.

Shapes: L layers, H heads, Q queries, K keys, D model width, d = D/H width of a head.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import AttentionKind
from viz_core.models.recording import Record, calling, record
from viz_core.records import Encoding, Explanation, Failure, HeadWeights, Translation, map_heads, read_only


def has_value_norms(checkpoint: Checkpoint) -> bool:
    """Whether the heads of a model write into a residual stream through an output projection."""
    return bool(getattr(checkpoint.model, "output_projections", None))


def value_norms(
    checkpoint: Checkpoint, encoding: Encoding, between_layers: Callable[[], None] = lambda: None
) -> np.ndarray:
    """Norm of each key's transformed vector in every head, ‖f(x_j)‖ `(L, H, K)`, float32 and read-only.

    Args:
        between_layers: Called before each layer; what it raises ends the computation.

    Raises:
        Failure: For a model without attention, or whose attention has no output projection.
    """
    if not has_value_norms(checkpoint):
        raise Failure("analysis.no_value_norms", name=f"{checkpoint.task.name}/{checkpoint.name}")
    recorded = record(checkpoint.model, input_tensors(encoding), {"values"}, calling(between_layers))
    return norms_by_kind(checkpoint, recorded)[checkpoint.model.attention_kinds[0]]


def weigh_values(attention: HeadWeights, norms: np.ndarray) -> HeadWeights:
    """Norms ‖α_ij f(x_j)‖ `(L, H, Q, K)`, read-only.

    Args:
        attention: `(L, H, Q, K)`.
        norms: `(L, H, K)`.
    """
    weighted = map_heads(attention, lambda weights, head: weights * norms[head], norms.nbytes)
    return read_only(weighted) if isinstance(weighted, np.ndarray) else weighted


def value_weighted(explanation: Explanation, norms: np.ndarray) -> Explanation:
    """Explanation with ‖α f(x)‖ in place of the attention weights; its rows do not sum to 1."""
    return replace(explanation, attention=weigh_values(explanation.attention, norms), measure="norms")


def value_weighted_translation(translation: Translation) -> Translation:
    """Translation with ‖α f(x)‖ in place of the weights, for all kinds of attention."""
    norms = translation.value_norms
    weighted = {kind: np.asarray(weigh_values(weights, norms[kind])) for kind, weights in translation.attention.items()}
    return replace(translation, attention=weighted, measure="norms")


@torch.no_grad()
def norms_by_kind(checkpoint: Checkpoint, recorded: Record) -> dict[AttentionKind, np.ndarray]:
    """Norms ‖f(x_j)‖ `(L, H, K)` of a single text or translation, by kind of attention.

    Float32 and read-only; empty for a model whose heads do not write into a residual stream.

    Args:
        recorded: Its `values`.
    """
    result = {}
    for kind, projections in getattr(checkpoint.model, "output_projections", {}).items():
        layers = [_norms(recorded["values", layer, kind][0], matrix) for layer, matrix in enumerate(projections)]
        result[kind] = torch.stack(layers).float().numpy()
        result[kind].flags.writeable = False  # may be cached and shared between visitors
    return result


def _norms(values: Tensor, projection: Tensor) -> Tensor:
    """Norms ‖v W_O‖ `(H, K)` of the values `(H, K, d)` of a layer.

    Args:
        projection: `(D, H d)`, the columns of all heads.
    """
    H, _, d = values.shape
    per_head = projection.view(-1, H, d).permute(1, 2, 0)  # (H, d, D)
    return (values @ per_head).norm(dim=-1)
