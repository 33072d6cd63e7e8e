"""Position embeddings: learned ones, and sinusoids.

Sinusoids: Vaswani et al. 2017, section 3.5, https://arxiv.org/abs/1706.03762. PE(p, 2i) =
sin(p / 10000^(2i/D)), PE(p, 2i + 1) = cos(p / 10000^(2i/D)) for position p and pair i.

Shapes: T positions, D model width.
"""

from typing import Literal

import numpy as np

from viz_core.analysis.inside.passes import find_anatomy, numbers
from viz_core.checkpoints import Checkpoint
from viz_core.records import Message, PositionVectors, SimilarityByDistance

BASE = 10_000
BAND = (0.05, 0.95)  # quantiles


def model_positions(checkpoint: Checkpoint) -> PositionVectors | None:
    """Position embeddings of a model; None if it adds nothing to its tokens."""
    anatomy = find_anatomy(checkpoint)
    if anatomy is None or anatomy.pooling is None or anatomy.positions in ("rotary", ""):
        return None
    (kind,) = checkpoint.model.attention_kinds
    return PositionVectors(anatomy.positions, numbers(anatomy.stack(kind).embeddings["position"]))


def missing_positions(checkpoint: Checkpoint) -> Message:
    """Why a model has no position embeddings, in a sentence."""
    anatomy = find_anatomy(checkpoint)
    key = "rotary" if anatomy and anatomy.positions == "rotary" else "no_positions"
    return Message(f"positions.{key}", {"name": f"{checkpoint.task.name}/{checkpoint.name}"})


def order_without_positions(checkpoint: Checkpoint) -> list[Message]:
    """What tells a model about the order of its tokens besides position embeddings, in sentences."""
    anatomy = find_anatomy(checkpoint)
    if anatomy is None:
        return []
    (kind,) = checkpoint.model.attention_kinds
    stack = anatomy.stack(kind)
    biases = [layer.attentions[kind].position_bias for layer in stack.layers]
    others = {
        "stem": stack.convolution is not None,
        "bias": any(bias is not None for bias in biases),
        "causal": kind == "causal",
    }
    return [Message(f"positions.experiment_{name}") for name, has in others.items() if has]


def wavelengths(width: int) -> np.ndarray:
    """Wavelength of each pair i, `(D/2,)`: its sine and cosine repeat after 2π·10000^(2i/D) positions."""
    return 2 * np.pi * BASE ** (np.arange(0, width, 2) / width)


def sinusoids(tokens: int, width: int) -> PositionVectors:
    """Sinusoidal embeddings of the first T positions.

    Raises:
        ValueError: If D is odd: sine and cosine are pairs.
    """
    if width % 2:
        raise ValueError(f"width {width} is odd: sinusoidal positions need an even one, for pairs of sine and cosine")
    angles = 2 * np.pi * np.arange(tokens)[:, None] / wavelengths(width)  # (T, D/2)
    vectors = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(tokens, width)
    return PositionVectors("sinusoidal", vectors)


def rotation(width: int, pair: int, shift: int) -> np.ndarray:
    """Matrix `(2, 2)` that moves (sine, cosine) of pair i by `shift` positions.

    A rotation by shift · 2π / wavelength, whatever the position: "For any fixed offset k, PE(pos+k)
    can be represented as a linear function of PE(pos)" (section 3.5).
    """
    angle = 2 * np.pi * shift / wavelengths(width)[pair]
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def similarity_by_distance(
    positions: PositionVectors, measure: Literal["cosine", "dot"], longest: int | None = None
) -> SimilarityByDistance:
    """Similarity of all pairs of positions that are k apart, for k from 0 to `longest`, by default T - 1.

    The cosine similarity of sinusoids depends on the distance alone: each pair contributes
    cos(k · 2π / wavelength).
    """
    vectors = positions.vectors.astype(float)
    if measure == "cosine":
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    products = vectors @ vectors.T  # (T, T)
    distances = range(min(len(vectors), len(vectors) if longest is None else longest + 1))
    diagonals = [np.diagonal(products, distance) for distance in distances]
    mean, (low, high) = np.array([d.mean() for d in diagonals]), np.array([np.quantile(d, BAND) for d in diagonals]).T
    return SimilarityByDistance(positions.kind, measure, mean, low, high)
