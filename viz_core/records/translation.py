"""A translation with all attention and with the candidates for every token.

The decoder has T positions. Position t reads token t of the target, [CLS] first, and produces the
token after it: the last one produces [SEP], unless the translation was cut off.

Labels of queries are the same in every view. In cross-attention, a query is labelled with the token
that is *produced* from it, because what the query attends to in the source explains that token and
not the one that is read. In self-attention and causal attention it is labelled with the token that
is *read*, because queries and keys are the same tokens there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from viz_core.records.attention import Measure
from viz_core.records.inputs import Encoding, show_whitespace
from viz_core.records.messages import Message
from viz_core.records.next_token import Step

Kind = Literal["self", "causal", "cross"]


@dataclass(frozen=True, eq=False)
class Translation:
    """A translation: S source tokens, T target tokens, L layers, H heads.

    Attributes:
        source: As typed.
        target: What the decoder reads, [CLS] and the tokens after it. Its text is the translation,
            whose last token is not read if it was cut off.
        attention: By kind, float32, read-only, rows sum to 1: `self` `(L, H, S, S)`, of the
            encoder; `causal` `(L, H, T, T)`, 0 above the diagonal; `cross` `(L, H, T, S)`.
        steps: T steps, aligned with the target.
        complete: False if it was cut off at the length limit.
        measure: As in Explanation.
        value_norms: Norm of what each key adds to the residual stream at a weight of 1
            (analysis/value_norms.py), by kind, `(L, H, K)`.
    """

    task: str
    model: str
    source: Encoding
    target: Encoding
    attention: Mapping[Kind, np.ndarray]
    steps: tuple[Step, ...]
    complete: bool
    notices: tuple[Message, ...] = ()
    measure: Measure = "weights"
    value_norms: Mapping[Kind, np.ndarray] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The translation as plain text."""
        return self.target.texts[0]

    @property
    def outputs(self) -> tuple[str, ...]:
        """Tokens that are produced, one for each of the T positions."""
        return tuple(show_whitespace(step.output.token) for step in self.steps)

    @property
    def output_encoding(self) -> Encoding:
        """The produced tokens as positions in the translation.

        The tokens of the target after [CLS], and the last one, which is not read.
        """
        target, last = self.target, self.steps[-1].output
        start = int(target.offsets[-1][1])
        start += len(self.text[start:]) - len(self.text[start:].lstrip())
        return Encoding(
            texts=target.texts,
            tokens=(*target.tokens[1:], last.token),
            ids=np.append(target.ids[1:], last.id),
            segments=target.segments,
            offsets=np.vstack([target.offsets[1:], (0, 0) if self.complete else (start, len(self.text))]),
            words=np.append(target.words[1:], target.words[-1] + 1),
            special=np.append(target.special[1:], self.complete),
            unknown=np.append(target.unknown[1:], False),
        )

    def sides(self, kind: Kind) -> tuple[Encoding, Encoding]:
        """Tokens of the queries and of the keys of an attention, labelled by `queries` and `keys`."""
        if kind == "cross":
            return self.output_encoding, self.source
        return (self.target, self.target) if kind == "causal" else (self.source, self.source)

    def queries(self, kind: Kind) -> tuple[str, ...]:
        """Labels of the rows of an attention, see above."""
        return self.outputs if kind == "cross" else self.keys(kind)

    def keys(self, kind: Kind) -> tuple[str, ...]:
        """Labels of the columns of an attention."""
        encoding = self.target if kind == "causal" else self.source
        return encoding.labels


@dataclass(frozen=True)
class Exposure:
    """Cost of generating a translation, and of a training pass over it.

    Attributes:
        passes: Forward passes of the decoder, one after another, in which the translation was
            generated; 0 for a reference, which is only read.
        seconds: Duration of all of them.
        forced_seconds: Duration of a single pass over all positions, as in training by teacher
            forcing.
    """

    passes: int
    seconds: float
    forced_seconds: float


@dataclass(frozen=True)
class BeamNode:
    """A hypothesis: that of its parent, and a token.

    Attributes:
        parent: Index of the parent's node, -1 for the root.
        depth: Number of tokens.
        probability: Probability of the token after its parent.
        log_probability: Log-probability of all tokens.
        survives: Whether it was among the likeliest of its depth, and so went on or ended.
        ends: Whether its token is the end of the sentence.
    """

    parent: int
    id: int
    token: str
    depth: int
    probability: float
    log_probability: float
    survives: bool
    ends: bool


@dataclass(frozen=True)
class BeamLeaf:
    """A hypothesis at which the search ended.

    Attributes:
        node: Index of its node.
        text: The translation.
        score: The log-probability, divided by the length penalty.
        complete: False if it was cut off at the length limit.
    """

    node: int
    text: str
    score: float
    complete: bool


@dataclass(frozen=True)
class BeamTree:
    """A beam search with all hypotheses that it considered.

    Attributes:
        nodes: In the order in which they were considered, the likeliest of a depth first.
        leaves: The best first.
    """

    width: int
    nodes: tuple[BeamNode, ...]
    leaves: tuple[BeamLeaf, ...]

    def path(self, node: int) -> tuple[int, ...]:
        """Token ids from the root to a node."""
        ids = []
        while node >= 0:
            ids.append(self.nodes[node].id)
            node = self.nodes[node].parent
        return tuple(reversed(ids))
