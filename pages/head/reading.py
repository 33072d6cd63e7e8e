"""An input as a model read it: attention of one kind, with the tokens of queries and keys."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from pages.shared.cache import explain_input, explain_outputs, load_model
from pages.shared.kinds import InsideInput
from viz_core.analysis.selection import attention_map, translation_map
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.passages import describe_passage
from viz_core.models.protocol import reads_source
from viz_core.records import AttentionMap, Encoding, Explanation, Translation
from viz_core.records.translation import Kind

Head = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Reading:
    """record: with the attention. kind: which of its attentions."""

    record: Explanation | Translation
    kind: Kind

    @property
    def _parts(self) -> tuple[np.ndarray, tuple[str, ...], Encoding]:
        """Attention `(L, H, Q, K)`, labels of the queries, tokens of the keys."""
        if isinstance(self.record, Translation):
            keys = self.record.sides(self.kind)[1]
            return self.record.attention[self.kind], self.record.queries(self.kind), keys
        return self.record.attention, self.record.encoding.labels, self.record.encoding

    def query(self, head: Head, number: int) -> dict:
        """What a query attends to, as the browser draws it. Raises Failure."""
        attention, queries, keys = self._parts
        marked = None if self.kind == "cross" else number
        return describe_passage(keys, attention[*head, number], queries[number], marked)

    def map(self, head: Head) -> AttentionMap:
        """All weights of a head."""
        if isinstance(self.record, Translation):
            return translation_map(self.record, self.kind, *head)
        return attention_map(self.record, *head)


def read(info: CheckpointInfo, texts: InsideInput, kind: str) -> Reading:
    """An input, from the cache of all visitors. Raises Failure."""
    if reads_source(load_model(info).model):
        record: Explanation | Translation = explain_outputs(info, texts.texts[0], texts.outputs)
    else:
        record = explain_input(info, *texts.texts)
    return Reading(record, cast(Kind, kind))


def read_row(info: CheckpointInfo, texts: tuple[str, ...], kind: str) -> Reading:
    """A row of a corpus, of a translation the source and its reference. Raises Failure."""
    checkpoint = load_model(info)
    if not reads_source(checkpoint.model):
        return read(info, InsideInput(texts), kind)
    outputs, _ = checkpoint.text_encoder.target_ids(texts[1])
    return read(info, InsideInput(texts[:1], tuple(outputs)), kind)
