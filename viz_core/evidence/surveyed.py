"""The surveys of a model's heads, from wherever they are: stored with it, or made of texts of our own."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from viz_core.analysis.heads.survey import survey_heads
from viz_core.checkpoints import Checkpoint
from viz_core.evidence import heads, importance
from viz_core.evidence.own_texts import own_texts
from viz_core.evidence.results import read_result
from viz_core.records import HeadImportance, HeadSurvey


@dataclass(frozen=True, eq=False)
class Surveyed:
    """Surveys of the heads of a model, one for each kind of attention.

    Attributes:
        source: `full` or `sample`, the validation split that was read; `ours` for texts written for
            this project.
        n: Number of texts.
    """

    surveys: tuple[HeadSurvey, ...]
    source: Literal["full", "sample", "ours"]
    n: int

    def of(self, kind: str | None) -> HeadSurvey:
        """The survey of a kind of attention; of another kind or none the last, as of a decoder to its encoder."""
        return next((survey for survey in self.surveys if survey.kind == kind), self.surveys[-1])


def read_surveys(folder: Path) -> Surveyed | None:
    """The surveys stored in a model's folder, if there are any."""
    result = read_result(folder, heads.NAME)
    surveys = heads.read(result)
    return Surveyed(surveys, result["data"], result["n"]) if result and surveys else None


def read_importance(folder: Path) -> HeadImportance | None:
    """The importance of the heads stored there, if it has been measured."""
    measured = importance.read(read_result(folder, importance.NAME))
    return measured.heads if measured else None


def survey_own_texts(
    checkpoint: Checkpoint, progress: Callable[[int, int], None] = lambda done, total: None
) -> Surveyed:
    """Survey a model from elsewhere.

    Raises:
        Failure: As `survey_heads`.
    """
    texts = own_texts(checkpoint)
    surveys = survey_heads(checkpoint, texts, range(len(texts)), progress, passages=sys.maxsize)  # stays in memory
    return Surveyed(surveys, "ours", len(texts))
