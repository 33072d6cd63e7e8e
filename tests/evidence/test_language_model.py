"""Evidence of a language model: its heads over the texts of validation, not over the windows that it is trained on."""

import numpy as np
import pandas as pd

from tests.tiny_language_model import BYTES, TASK, language_checkpoint, save_language_model
from viz_core import checkpoints
from viz_core.evidence import heads
from viz_core.evidence.evidence_input import EvidenceInput
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.surveyed import read_surveys
from viz_core.records import ELSEWHERE


def test_every_text_is_read_once_from_its_beginning_and_cut_to_the_context():
    """Each letter is a token: [CLS] ␣ a b [SEP] are 5 tokens; 41 letters and the space do not fit 16."""
    frame = pd.DataFrame({"text": ["ab", "abc", "a" * 41]}, index=[4, 7, 9])
    data = EvidenceInput(language_checkpoint(16, vocabulary=BYTES), "sample", frame, split_rows=3)
    assert len(data.examples) == 4, "windows of 16 tokens: 11 + 44 tokens, each window begins with the last one before"
    result = heads.compute(data, lambda done, total: None)
    (survey,) = heads.read(result)
    assert (result["n"], result["rows"], survey.inputs, survey.tokens) == (3, 3, 3, 5 + 6 + 16)
    assert survey.kind == "causal" and {"induction", "duplicate", "previous"} <= set(survey.statistics)
    rows = survey.statistics["previous"].rows
    assert set(np.unique(rows)) <= {-1, 4, 7, 9}


def test_a_survey_is_stored_with_the_model_and_requested_when_one_is_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    folder, rows = (
        save_language_model(tmp_path, data="sample"),
        len(checkpoints.load(TASK, "tiny").task.read("validation", "sample")),
    )
    compute_evidence(evidence_kind(TASK).first, TASK, "tiny", lambda done, total: None)
    surveyed = read_surveys(folder)
    assert (surveyed.source, surveyed.n) == ("sample", rows)


def test_models_from_elsewhere_have_no_corpus_and_so_no_evidence():
    assert not any(evidence_kind(task).compute for task in ELSEWHERE)
