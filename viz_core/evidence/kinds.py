"""Kinds of evidence for the models of each kind of task, and their inputs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from viz_core.checkpoints import Checkpoint
from viz_core.evidence import alignment, faithfulness, heads, health, importance, predictions, word_order
from viz_core.evidence.evidence_input import EvidenceInput, Progress, evidence_input
from viz_core.records import ELSEWHERE, Failure
from viz_core.tasks import CLASSIFICATION, LANGUAGE_MODEL, TRANSLATION, OfKind, all_tasks

Input = TypeVar("Input")


@dataclass(frozen=True)
class EvidenceKind(Generic[Input]):
    """The evidence for a kind of task.

    Attributes:
        compute: Functions by name, of an input and `Progress`; each returns the result to store,
            figures and row numbers.
        load: Loads the input, for a model and at most this many rows of the split (None: its own
            number).
        describe: Entries about the input that every result has.
        sampled: Names of evidence that may also read a sample of the rows.
        resumable: Names of evidence that goes on where it ended; its functions also take a file for
            that, `state`.
        first: Evidence requested when a model is saved, empty for none.
        reads_corpus: Whether it needs the corpus that the model was trained on.
    """

    compute: Mapping[str, Callable[..., dict]] = field(default_factory=dict)
    load: Callable[[Checkpoint, int | None], Input] | None = None
    describe: Callable[[Input], dict] = lambda data: {}
    sampled: tuple[str, ...] = ()
    resumable: tuple[str, ...] = (heads.NAME,)
    first: str = ""
    reads_corpus: bool = True

    def prepare(
        self, name: str, checkpoint: Checkpoint, rows: int | None, state: Path | None = None
    ) -> Callable[[Progress], dict]:
        """Load the input of the evidence of this name; returns a function that computes it.

        state: File for evidence that is `resumable`.

        Raises:
            Failure: If there is no such evidence, or its input cannot be loaded.
        """
        if name not in self.compute or self.load is None:
            raise Failure("evidence.unknown", name=name, task=checkpoint.task.name, known=list(self.compute))
        data = self.load(checkpoint, rows)
        further = {"state": state} if name in self.resumable else {}
        return lambda progress: {**self.describe(data), **self.compute[name](data, progress, **further)}


_KINDS: OfKind[EvidenceKind] = OfKind(default=EvidenceKind())
evidence_kind, register_evidence_kind = _KINDS.of, _KINDS.register


def all_evidence() -> list[str]:
    """Names of all evidence for any task, in alphabetical order."""
    return sorted({name for task in all_tasks().values() for name in evidence_kind(task.kind).compute})


def _about(data: EvidenceInput) -> dict:
    weights = data.checkpoint.weights_sha256
    return {"weights_sha256": weights, "split": "validation", "data": data.source, "n": len(data.frame)}


_ON_VALIDATION = (faithfulness, heads, health, importance, predictions, word_order)
register_evidence_kind(
    CLASSIFICATION,
    EvidenceKind(
        {evidence.NAME: evidence.compute for evidence in _ON_VALIDATION},
        evidence_input,
        _about,
        sampled=(faithfulness.NAME, heads.NAME, importance.NAME, word_order.NAME),
        first=health.NAME,
    ),
)
# Alignment is measured on our own pairs of sentences, heads on the corpus if it is here, else on the sample.
register_evidence_kind(
    TRANSLATION,
    EvidenceKind(
        {alignment.NAME: alignment.compute, heads.NAME: heads.compute_translation},
        lambda checkpoint, rows: checkpoint,
        lambda checkpoint: {"weights_sha256": checkpoint.weights_sha256},
        first=alignment.NAME,
        reads_corpus=False,
    ),
)
# Without labels, what the heads attend to. They read the texts of the split, each cut to the context.
register_evidence_kind(
    LANGUAGE_MODEL,
    EvidenceKind({heads.NAME: heads.compute}, evidence_input, _about, sampled=(heads.NAME,), first=heads.NAME),
)
for _name in ELSEWHERE:  # there is no corpus of their tasks
    register_evidence_kind(_name, EvidenceKind())
