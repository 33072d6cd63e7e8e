"""How an attention weight comes about and what follows from it: every number of one head's computation for one query, from the embeddings to the prediction, and the model around it; what else its page shows.

Shapes: L layers, H heads, Q queries, K keys (in self-attention and causal attention the same T
tokens; in cross-attention T target and S source tokens), W keys of the window, E width of the
embeddings, mostly D, D model width, d = D/H width of a head, F width of the feed-forward, C classes
(where these are tokens, the likeliest). All arrays are float32 and read-only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from viz_core.records.translation import Kind

Stack = Literal["encoder", "decoder"]


@dataclass(frozen=True)
class Block:
    """A box of the diagram of a model, in the order of the computation.

    Attributes:
        name: `embedding`, `stem`, `mapping` (of narrower embeddings to the width of the layers),
            `attention` (of a decoder causal), `cross_attention`, `feedforward`, `norm` (the last
            one of a pre-norm model), `classifier_hidden` (a layer before the classifier),
            `classifier` (of a translation the output layer).
        layer: From 0, None outside the layers.
        parameters: Trainable numbers of it, norms included; those that it shares with an earlier
            block are not counted again.
    """

    name: str
    stack: Stack
    layer: int | None
    parameters: int


@dataclass(frozen=True, eq=False)
class TokenSteps:
    """The vector of a token on its way to the head, `(D,)` at each step.

    Attributes:
        index: Its position among the queries or keys.
        parts: What is added up, by name in this order: `token`, `position`, `segment`, `overlap`;
            the last two only where the model has them.
        sum: Of the parts.
        embedded: After the normalisation of the embeddings, which most post-norm models lack (then
            equal to `sum`).
        convolved: What the convolution of the stem adds, after its ReLU; stem: after addition and
            normalisation; both None without a stem. Of a model whose embeddings are narrower than
            its layers, all of them have E numbers up to `embedded`, and `stem` is that mapped to D;
            convolved is None.
        streams: The residual stream before the first layer and after each layer, as far as that of
            the head, `(n, D)`; its last row is `stream`, or, where another sub-layer comes first,
            what that has added to.
        stream: The residual stream that the sub-layer reads; in cross-attention that of a key is
            the last layer of the encoder.
        read: What queries, keys and values are computed from: `stream`, in a pre-norm model
            normalised.
    """

    index: int
    parts: Mapping[str, np.ndarray]
    sum: np.ndarray
    embedded: np.ndarray
    convolved: np.ndarray | None
    stem: np.ndarray | None
    streams: np.ndarray
    stream: np.ndarray
    read: np.ndarray


@dataclass(frozen=True, eq=False)
class HeadSteps:
    """The computation of one head for one query.

    query `(d,)`.

    Attributes:
        start: The first key of the window, which has W keys; keys, values `(W, d)`: of the window;
            the values as used, scaled if that was changed. products `(W, d)`: query · key by
            dimension, which sum to the scores. Of all keys `(K,)`: scores, the products added up;
            scaled, divided by √d, unless that was changed; bias, what is added for the distance
            between query and key, None of most models; masked, what softmax reads: with bias and
            edited scores, divided by the softmax temperature, -inf where the query cannot attend;
            weights, as used. context `(d,)`: the sum of weights · values over all keys.
        entropy: Of the weights, divided by that of uniform ones over the keys that can be attended
            to; 0 if there is a single such key.
    """

    query: np.ndarray
    start: int
    keys: np.ndarray
    values: np.ndarray
    scores: np.ndarray
    scaled: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    entropy: float
    bias: np.ndarray | None = None

    @property
    def products(self) -> np.ndarray:
        return self.query * self.keys


@dataclass(frozen=True, eq=False)
class LayerSteps:
    """What the layer makes of the heads, for the query.

    contexts `(H, d)`: of all heads, side by side. parts `(H, D)`: what each of them adds through
    its columns of the output projection; their sum and its bias b_output `(D,)` is projected
    `(D,)`. added `(D,)`: residual stream + projected; normed `(D,)`: normalised after that, in a
    post-norm model, else equal to `added`. The feed-forward: before `(D,)`, the residual stream it
    adds to (`normed`; in causal attention that after the cross-attention, which comes in between),
    read `(D,)`, in a pre-norm model normalised; hidden, activated `(F,)`, before and after the
    activation; feedforward `(D,)`, its output. output `(D,)`: of the layer.
    """

    contexts: np.ndarray
    parts: np.ndarray
    b_output: np.ndarray
    projected: np.ndarray
    added: np.ndarray
    normed: np.ndarray
    before: np.ndarray
    read: np.ndarray
    hidden: np.ndarray
    activated: np.ndarray
    feedforward: np.ndarray
    output: np.ndarray


@dataclass(frozen=True, eq=False)
class PredictionSteps:
    """From the last layer to the probabilities.

    streams `(L + 1, D)`: the residual stream of the token that is classified, before the first
    layer and after each; with mean pooling, of the query. lengths `(L + 1, T)`: Euclidean norm of
    the residual stream of every token of the stack that is read. pooled `(D,)`: what the classifier
    reads, [CLS] or the mean of the tokens, normalised. hidden, activated `(D,)`: of a classifier
    with a hidden layer, before and after its activation, else None.

    Attributes:
        labels: Of the C classes, none without a classifier. w_classifier `(C, D)`, b_classifier
            `(C,)`, logits `(C,)`, divided by the temperature, None where nobody has calibrated the
            model, probabilities `(C,)`.
        predicted: Index of the predicted class, -1 without a classifier.
        all_classes: C, or of a translation its vocabulary, of which the likeliest are here.
        threshold: As in Explanation, None of a translation.
        position: Of a translation, that of the target whose next token is predicted, else None.
        activation: Of the hidden layer, empty without one.
    """

    streams: np.ndarray
    lengths: np.ndarray
    pooled: np.ndarray
    labels: tuple[str, ...]
    w_classifier: np.ndarray
    b_classifier: np.ndarray
    logits: np.ndarray
    temperature: float | None
    probabilities: np.ndarray
    predicted: int
    all_classes: int
    threshold: float | None = None
    position: int | None = None
    hidden: np.ndarray | None = None
    activated: np.ndarray | None = None
    activation: str = ""


@dataclass(frozen=True, eq=False)
class Unchanged:
    """The same without the changes: weights `(K,)`, entropy, context `(d,)`, logits and probabilities `(C,)`."""

    weights: np.ndarray
    entropy: float
    context: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    predicted: int


@dataclass(frozen=True, eq=False)
class Inside:
    """All of it, for a layer and a head (from 0), a query and a key.

    Attributes:
        kind: Of the attention.
        norm: `pre` or `post`.
        epsilon: What layer normalisations add to the variance.
        norms: Weight and bias `(2, D)` of those on the way, by name: `embedding`, `stem`,
            `attention` (of the sub-layer with the head), `feedforward`, `final`, and in
            cross-attention `source`, at the end of the encoder; what the model has not is missing.
        activation: `relu`, `gelu` or `gelu_tanh`.
        positions: `learned` or `sinusoidal`.
        pooling: `cls`, `mean` or, of a model that predicts the next token, `last`; None of a
            translation.
        sizes: `L`, `H`, `Q`, `K`, `E`, `D`, `d`, `F`, `C`, `parameters` and `vocabulary`, of a
            translation also `S` and `T`, its source and target tokens. window `(W, D)`: the
            `stream` of each key of the window.
        unchanged: None if nothing was changed.
    """

    kind: Kind
    layer: int
    head: int
    norm: Literal["pre", "post"]
    epsilon: float
    norms: Mapping[str, np.ndarray]
    activation: str
    positions: Literal["learned", "sinusoidal", ""]
    pooling: str | None
    sizes: Mapping[str, int]
    blocks: tuple[Block, ...]
    query: TokenSteps
    key: TokenSteps
    window: np.ndarray
    of_head: HeadSteps
    of_layer: LayerSteps
    prediction: PredictionSteps
    unchanged: Unchanged | None


@dataclass(frozen=True, eq=False)
class ClassLens:
    """What a model would have predicted before its first layer, row 0, and after each.

    Attributes:
        labels: Names of the classes.
        logits, probabilities: `(L + 1, C)`, calibrated; the last row is the prediction.
    """

    labels: tuple[str, ...]
    logits: np.ndarray
    probabilities: np.ndarray


@dataclass(frozen=True, eq=False)
class TokenLens:
    """The same of every position of a translation, T of them.

    Attributes:
        read, outputs: The token that it reads, and the one that is produced, T each.
        likeliest: After each layer the likeliest next token, L + 1 tuples of T. probabilities,
            ranks: of the output, `(L + 1, T)`; rank 1 is the likeliest.
    """

    read: tuple[str, ...]
    outputs: tuple[str, ...]
    likeliest: tuple[tuple[str, ...], ...]
    probabilities: np.ndarray
    ranks: np.ndarray


@dataclass(frozen=True, eq=False)
class QueryKeyPlane:
    """The queries and the keys of a head for the N tokens of M texts in one plane.

    Attributes:
        layer, head: From 0.
        texts: M tuples of one or two texts.
        queries, keys: `(N, 2)`, the points.
        labels, of_text, positions, groups: Of each token, its text, its position in it from 0, and
            its group (-1 special, else its segment).
        scale: C, by which queries are multiplied and keys divided.
        correlation: Of the scalar products of queries with keys of the same text and their negative
            squared distances, before the projection.
        explained: Share of the variance that the plane shows.
    """

    layer: int
    head: int
    texts: tuple[tuple[str, ...], ...]
    queries: np.ndarray
    keys: np.ndarray
    labels: tuple[str, ...]
    of_text: np.ndarray
    positions: np.ndarray
    groups: np.ndarray
    scale: float
    correlation: float
    explained: float
