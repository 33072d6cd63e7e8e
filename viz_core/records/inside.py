"""Every number of one head's computation for one query, from the embeddings to the prediction.

Shows how an attention weight comes about and what follows from it; also the model around the head,
the logit lens and the query-key plane.

Shapes: L layers, H heads, Q queries, K keys (in self-attention and causal attention the same T
tokens; in cross-attention T target and S source tokens), W keys of the window, E width of the
embeddings, mostly D, D model width, d width of a head, mostly D/H, F width of the feed-forward, C classes
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
    """A box in the diagram of a model, in the order of the computation.

    Attributes:
        name: `embedding`, `stem`, `mapping` (of narrower embeddings to the width of the layers),
            `attention` (in a decoder causal), `cross_attention`, `feedforward`, `norm` (the last
            one of a pre-norm model), `classifier_hidden` (a layer before the classifier),
            `classifier` (for a translation the output layer).
        layer: From 0, None outside the layers.
        parameters: Number of trainable parameters, norms included; those shared with an earlier
            block are not counted again.
    """

    name: str
    stack: Stack
    layer: int | None
    parameters: int


@dataclass(frozen=True, eq=False)
class TokenSteps:
    """The vector of a token on its way to the head, `(D,)` at each step.

    If the embeddings are narrower than the layers, vectors up to `embedded` have E numbers, `stem`
    is `embedded` mapped to D, and `convolved` is None.

    Attributes:
        index: Position among the queries or keys.
        parts: The embeddings that are added up, by name in this order: `token` (times its scale),
            `position`, `segment`, `overlap`; the last two only if the model has them.
        sum: Sum of the parts.
        embedded: After the normalisation of the embeddings, which most post-norm models lack (then
            equal to `sum`).
        convolved: What the convolution of the stem adds, after its ReLU; None without a stem.
        stem: After addition and normalisation; None without a stem.
        streams: The residual stream before the first layer and after each layer up to the head's,
            `(n, D)`. Its last row is `stream`, or, where another sub-layer comes first, the stream
            that this adds to.
        stream: The residual stream that the sub-layer reads; for a key in cross-attention, the
            output of the encoder's last layer.
        read: Input of queries, keys and values: `stream`, normalised in a pre-norm model if that does so.
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

    Attributes:
        query: `(d,)`.
        start: First key of the window, which has W keys.
        keys, values: `(W, d)`, of the window; values as used, scaled if that was changed.
        scores: Scalar product of the query with every key, `(K,)`.
        scaled: Scores divided by √d (`Inside.divisor`), unless that was changed, `(K,)`.
        masked: Input of softmax, `(K,)`: capped, with bias and edited scores, divided by the softmax
            temperature, -inf where the query cannot attend.
        weights: As used, `(K,)`.
        context: Sum of weights · values over all keys, `(d,)`.
        entropy: Entropy of the weights, divided by that of uniform weights over the keys that can
            be attended to; 0 if there is a single such key.
        capped: `scaled`, bounded to c tanh(x / c) by the cap c, `(K,)`; None for most models.
        bias: Added for the distance between query and key, `(K,)`; None for most models.
        unnormed_query, unnormed_keys: What the matrices give, `(d,)` and `(W, d)`, if the head
            normalises its queries and keys.
        joint_query, joint_keys: Root mean square by which they are divided, `(1,)` and `(W,)`, where it is
            that of the queries or the keys of all heads together (OLMo 2); None otherwise.
        unrotated_query, unrotated_keys: Before the rotation by their positions, `(d,)` and `(W, d)`;
            None without one.
        frequencies: Angle by which a position turns each pair of dimensions, i and i + r/2 of the first
            r, mostly all, `(r/2,)` in radians; 0 for a text of one token. None without a rotation.
        lengthening: Factor of the rotated vectors, mostly 1.
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
    capped: np.ndarray | None = None
    bias: np.ndarray | None = None
    unnormed_query: np.ndarray | None = None
    unnormed_keys: np.ndarray | None = None
    joint_query: np.ndarray | None = None
    joint_keys: np.ndarray | None = None
    unrotated_query: np.ndarray | None = None
    unrotated_keys: np.ndarray | None = None
    frequencies: np.ndarray | None = None
    lengthening: float = 1.0

    @property
    def products(self) -> np.ndarray:
        """Query · key by dimension, for the keys of the window, `(W, d)`; the sums are the scores."""
        return self.query * self.keys


@dataclass(frozen=True, eq=False)
class LayerSteps:
    """How the layer combines its heads, for the query.

    Attributes:
        contexts: Contexts of all heads, side by side, `(H, d)`.
        parts: What each head adds through its columns of the output projection, `(H, D)`.
        b_output: Bias of the output projection, `(D,)`.
        projected: Sum of the parts and the bias, `(D,)`.
        added: Residual stream + what attention adds, `(D,)`; None where the feed-forward is added with it.
        normed: `added`, normalised in a post-norm model, `(D,)`.
        before: Residual stream that the feed-forward adds to, `(D,)`: `normed`, or in causal
            attention the stream after the cross-attention, which comes in between; where both are
            added together, the stream before the layer.
        read: Input of the feed-forward: `before`, normalised in a pre-norm model if that does so, `(D,)`.
        hidden, activated: Before and after the activation, `(F,)`; in a gated feed-forward before and
            after the product with the activated gate.
        feedforward: Output of the feed-forward, `(D,)`.
        output: Output of the layer, `(D,)`.
        gate: What the activation reads in a gated feed-forward, `(F,)`; None otherwise.
        attention_normed, feedforward_normed: `projected` and `feedforward`, normalised before they are
            added, `(D,)`; None for most models.
    """

    contexts: np.ndarray
    parts: np.ndarray
    b_output: np.ndarray
    projected: np.ndarray
    added: np.ndarray | None
    normed: np.ndarray | None
    before: np.ndarray
    read: np.ndarray
    hidden: np.ndarray
    activated: np.ndarray
    feedforward: np.ndarray
    output: np.ndarray
    gate: np.ndarray | None = None
    attention_normed: np.ndarray | None = None
    feedforward_normed: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class PredictionSteps:
    """From the last layer to the probabilities.

    Attributes:
        streams: Residual stream of the token that is classified, before the first layer and after
            each, `(L + 1, D)`; with mean pooling, of the query.
        lengths: Euclidean norm of the residual stream of every token of the stack that is read,
            `(L + 1, T)`.
        pooled: Input of the classifier, [CLS] or the mean of the tokens, normalised, `(D,)`.
        labels: Names of the C classes, none without a classifier.
        w_classifier, b_classifier: `(C, D)` and `(C,)`.
        logits: `(C,)`.
        temperature: Divides the logits; None if the model is not calibrated.
        probabilities: `(C,)`.
        predicted: Index of the predicted class, -1 without a classifier.
        all_classes: C, or for a translation the size of the vocabulary, of which the likeliest
            tokens are here.
        threshold: As in Explanation, None for a translation.
        position: Position of the target whose next token is predicted; None except for a
            translation.
        hidden, activated: `(D,)`, before and after the activation of a classifier's hidden layer;
            None without one.
        activation: Activation of the hidden layer, empty without one.
        cap: Bounds the logits to c tanh(x / c); None if they are not bounded.
        uncapped: The logits before that, `(C,)`; None without a cap.
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
    cap: float | None = None
    uncapped: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Unchanged:
    """The computation without the changes.

    Weights `(K,)`, entropy, context `(d,)`, logits and probabilities `(C,)`.
    """

    weights: np.ndarray
    entropy: float
    context: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    predicted: int


@dataclass(frozen=True, eq=False)
class Inside:
    """The whole computation, for a layer and a head (from 0), a query and a key.

    Attributes:
        kind: Kind of attention.
        norm: `pre` or `post`, as in `anatomy.Anatomy`.
        parallel: Whether attention and feed-forward read the same residual stream, and are added
            together.
        learned: False if normalisations have neither weight nor bias.
        centred: False if normalisations subtract no mean and have no bias (RMSNorm).
        epsilon: What layer normalisations add to the variance.
        norms: Weight and bias `(2, D)` of the normalisations on the way, by name: `embedding`,
            `stem`, `attention` (of the sub-layer with the head), `query` and `key` (of the head, `(2,
            d)`), `attention_output`, `feedforward`, `feedforward_output`, `final`, and in cross-attention
            `source`, at the end of the encoder. Those that the model lacks are missing.
        biases: The maps that have a bias: of `mapping`, `query`, `key`, `value`, `output`, `gate`,
            `hidden`, `feedforward` and `classifier`.
        activation: `relu`, `gelu`, `gelu_tanh` or `silu`.
        embedding_scale: Factor of the token embeddings, mostly 1.
        positions: `learned` or `sinusoidal` vectors are added; `rotary` if queries and keys are rotated.
        divisor: Scores are divided by the root of it, mostly d.
        cap: Bounds the scores to c tanh(x / c); None if they are not bounded.
        sliding_window: Number of the last keys, its own included, that a query can attend to; None if all.
        pooling: `cls`, `mean` or, for a model that predicts the next token, `last`; None for a
            translation.
        sizes: `L`, `H`, `G` (heads of keys and values, fewer than H if several heads share them), `Q`,
            `K`, `E`, `D`, `d`, `F`, `C`, `parameters` and `vocabulary`; for a translation also `S` and
            `T`, its source and target tokens.
        window: `stream` of each key of the window, `(W, D)`.
        unchanged: None if nothing was changed.
    """

    kind: Kind
    layer: int
    head: int
    norm: Literal["pre", "post"]
    parallel: bool
    learned: bool
    centred: bool
    epsilon: float
    norms: Mapping[str, np.ndarray]
    biases: tuple[str, ...]
    activation: str
    embedding_scale: float
    positions: Literal["learned", "sinusoidal", "rotary", ""]
    divisor: float
    cap: float | None
    sliding_window: int | None
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
    """Predictions read off before the first layer, row 0, and after each layer.

    Attributes:
        labels: Names of the classes.
        logits, probabilities: `(L + 1, C)`, calibrated; the last row is the prediction.
    """

    labels: tuple[str, ...]
    logits: np.ndarray
    probabilities: np.ndarray


@dataclass(frozen=True, eq=False)
class TokenLens:
    """Predictions read off before the first layer and after each, at T positions of a translation or a text.

    Attributes:
        read, outputs: The token that each position reads, and the one that is produced, or that
            follows in the text, T each.
        likeliest: The likeliest next token after each layer, L + 1 tuples of T.
        probabilities, ranks: Probability and rank of the output, `(L + 1, T)`; rank 1 is the
            likeliest.
        start: First of these positions, from 0.
        positions: Number of all positions.
    """

    read: tuple[str, ...]
    outputs: tuple[str, ...]
    likeliest: tuple[tuple[str, ...], ...]
    probabilities: np.ndarray
    ranks: np.ndarray
    start: int
    positions: int

    def window(self, start: int, count: int) -> "TokenLens":
        """Keep `count` positions, from place `start` of these."""
        part = slice(start, start + count)
        return TokenLens(
            self.read[part],
            self.outputs[part],
            tuple(row[part] for row in self.likeliest),
            self.probabilities[:, part],
            self.ranks[:, part],
            self.start + start,
            self.positions,
        )


@dataclass(frozen=True, eq=False)
class QueryKeyPlane:
    """The queries and the keys of a head for the N tokens of M texts in one plane.

    Attributes:
        layer, head: From 0.
        texts: M tuples of one or two texts.
        queries, keys: `(N, 2)`, the points.
        labels, of_text, positions, groups: For each token, its label, its text, its position in it
            from 0, and its group (-1 special, else its segment).
        pairs: `(P, 2)`, the rows of each query and of each key of its text that it can attend to.
        products: `(P,)`, dot products of the head for the pairs, not scaled.
        scale: Factor c by which queries are multiplied and keys divided.
        correlation: Correlation of the products, less the mean of each query, with the negative
            squared distances of the points.
        explained: Share of the squares of all products that the products in the plane keep.
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
    pairs: np.ndarray
    products: np.ndarray
    scale: float
    correlation: float
    explained: float

    @property
    def relative_products(self) -> np.ndarray:
        """`(P,)`: the products less the mean of each query, on which its attention weights depend."""
        return less_mean(self.pairs[:, 0], self.products)

    @property
    def distances(self) -> np.ndarray:
        """`(P,)`: the squared distance of each pair in the plane."""
        query, key = self.pairs.T
        return np.square(self.queries[query] - self.keys[key]).sum(1)


def less_mean(of_query: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Products `(P,)` less the mean of each query.

    Args:
        of_query: The query of each product, `(P,)`.
    """
    return products - (np.bincount(of_query, products) / np.bincount(of_query))[of_query]
