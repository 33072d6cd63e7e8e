"""The steps of a Transformer's forward pass in NumPy, each as its formula: what models and the browser are compared
with.

Vaswani et al. 2017, "Attention Is All You Need", section 3, https://arxiv.org/abs/1706.03762.

Shapes: N rows (tokens), D model width, d width of a head, H heads, Q queries, K keys.
"""

import numpy as np
from scipy.special import erf

EPSILON = 1e-5  # of torch's layer normalisation, unless a model has its own


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """x `(N, in)`, weight `(out, in)`, bias `(out,)` -> x Wᵀ + b, `(N, out)`."""
    return x @ weight.T + bias


def layer_norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, epsilon: float = EPSILON) -> np.ndarray:
    """Each row of x `(N, D)` with mean 0 and variance 1, times weight, plus bias `(D,)` (Ba et al. 2016, section 3)."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + epsilon) * weight + bias


def rms_norm(x: np.ndarray, weight: np.ndarray, epsilon: float) -> np.ndarray:
    """Each row of x `(N, D)` with a mean square of 1, times weight `(D,)` (Zhang and Sennrich 2019, section 3)."""
    return x / np.sqrt(np.square(x).mean(-1, keepdims=True) + epsilon) * weight


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the probability that a standard normal number is below it (Hendrycks and Gimpel 2016, section 2)."""
    return (x * (1 + erf(x / np.sqrt(2))) / 2).astype(x.dtype)


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """GELU's approximation by tanh, as GPT-2 and ALBERT have it (the same paper, section 2)."""
    return (x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2).astype(x.dtype)


def silu(x: np.ndarray) -> np.ndarray:
    """x times its logistic function, as in SwiGLU (Shazeer 2020, section 2, where it is called Swish)."""
    return x / (1 + np.exp(-x))


ACTIVATIONS = {"relu": relu, "gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu}


def rotate(x: np.ndarray, positions: np.ndarray, base: float = 10_000, turned: int | None = None) -> np.ndarray:
    """Row n of x `(N, d)`, of whose first `turned` numbers, by default all, number i and number i + turned/2 are a
    complex number, times e to the power of i · positions[n] · base^(-2i/turned) (Su et al. 2021, section 3.2.2)."""
    turned = x.shape[1] if turned is None else turned
    first, second = np.split(x[:, :turned], 2, axis=1)
    frequencies = base ** (-np.arange(turned // 2) / (turned // 2))
    pairs = (first + 1j * second) * np.exp(1j * np.outer(positions, frequencies))
    return np.concatenate([pairs.real, pairs.imag, x[:, turned:]], axis=1)


def convolve(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """A convolution over three neighbouring rows of x `(N, D)`, zeros beyond the ends. weight: `(D, D, 3)`, the last
    axis for the previous row, the row itself and the next."""
    padded = np.pad(x, ((1, 1), (0, 0)))
    return sum(padded[shift : shift + len(x)] @ weight[:, :, shift].T for shift in range(3)) + bias


def scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Scalar products of queries `(Q, d)` and keys `(K, d)`, `(Q, K)`."""
    return queries @ keys.T


def scale(products: np.ndarray, width: int) -> np.ndarray:
    """Divided by √d: the products of d independent numbers of variance 1 have the variance d."""
    return products / np.sqrt(np.float32(width))


def softmax(x: np.ndarray) -> np.ndarray:
    """Along the last axis; 0 where x is -inf. Of a row that is -inf everywhere there is none: it must not occur."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)
