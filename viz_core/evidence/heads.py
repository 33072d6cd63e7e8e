"""The evidence `heads`: what every head does over the validation split, or over texts of our own."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from viz_core.analysis.heads.survey import corpus_rows, survey_heads
from viz_core.checkpoints import Checkpoint
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import read_record, reads_result
from viz_core.evidence.survey_state import SurveyState
from viz_core.records import HeadSurvey

NAME = "heads"
ROWS = 2500  # inputs at most
DIGITS, POSITION_DIGITS = 4, 3  # decimals; intervals are wider, and there are many positions


def compute(data: EvidenceInput, progress: Progress, state: Path | None = None) -> dict:
    """Compute the result to store, see `read`. Rows keep their numbers in the split. state: file to go on from."""
    places = corpus_rows(len(data.frame), ROWS)
    texts = [data.texts(place) for place in places]
    return {
        "n": len(places),
        "rows": data.split_rows,
        **_survey(data.checkpoint, texts, data.row_numbers[places], progress, state),
    }


def compute_translation(checkpoint: Checkpoint, progress: Progress, state: Path | None = None) -> dict:
    """The same of a translation, on its corpus if that is here, else on the sample; the references are read."""
    task = checkpoint.task
    has_corpus = checkpoint.metrics.training_data == "full" and task.find_corpus() is not None
    source = "full" if has_corpus else "sample"
    frame = task.read("validation", source)
    places = corpus_rows(len(frame), ROWS)
    part = frame.iloc[places]
    texts = list(zip(part["text"], part["text_b"], strict=True))
    about = {"split": "validation", "data": source, "n": len(places), "rows": len(frame)}
    return {**about, **_survey(checkpoint, texts, part.index.to_numpy(), progress, state)}


def _survey(checkpoint: Checkpoint, texts: Sequence, rows: np.ndarray, progress: Progress, state: Path | None) -> dict:
    is_own = bool(checkpoint.task.make_rows)  # a person's rows, of whose tokens no copy is left behind
    kept = SurveyState(state, checkpoint.weights_sha256, rows.tolist(), texts) if state and not is_own else None
    surveys = survey_heads(checkpoint, texts, rows.tolist(), progress, kept)
    return {"surveys": [_stored(survey) for survey in surveys]}


def _stored(survey: HeadSurvey) -> dict:
    """A survey as numbers with few digits: a file of 144 heads stays small."""
    upper = survey.divergence[np.triu_indices(len(survey.divergence), 1)]
    pairs = [
        [[pair.query, pair.key, pair.count, float(f"{pair.expected:.4g}")] for pair in pairs] for pairs in survey.pairs
    ]
    return {
        **_rounded(vars(survey)),
        "statistics": {name: _rounded(vars(statistic)) for name, statistic in survey.statistics.items()},
        "divergence": upper.round(DIGITS),
        "positions": survey.positions.round(POSITION_DIGITS),
        "pairs": pairs,
    }


def _rounded(values: dict) -> dict:
    return {name: value.round(DIGITS) if isinstance(value, np.ndarray) else value for name, value in values.items()}


@reads_result
def read(result: dict) -> tuple[HeadSurvey, ...]:
    """Records of a stored result, one for each kind of attention."""
    return tuple(_read(values) for values in result["surveys"])


def _read(values: dict) -> HeadSurvey:
    heads = len(values["pairs"])
    divergence = np.zeros((heads, heads))
    divergence[np.triu_indices(heads, 1)] = values["divergence"]
    pairs = [
        [dict(zip(("query", "key", "count", "expected"), pair, strict=True)) for pair in of] for of in values["pairs"]
    ]
    return read_record(HeadSurvey, {**values, "divergence": divergence + divergence.T, "pairs": pairs})
