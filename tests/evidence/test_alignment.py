"""The evidence on word alignment: stored, read back, and only of translations."""

import json

import pytest

from tests.tiny_translation import save_translation
from viz_core import checkpoints
from viz_core.analysis.translation.head_alignment import measure_alignments
from viz_core.evidence import alignment
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.kinds import evidence_kind
from viz_core.evidence.requests import has_data, request_evidence
from viz_core.evidence.results import read_result
from viz_core.jobs import runs
from viz_core.jobs.main import carry_out
from viz_core.records import Failure, Message, Metrics
from viz_core.tasks import get_task

TASK = "tatoeba"


@pytest.fixture
def few_pairs(monkeypatch):
    """Six of the pairs aligned by hand, with which everything is the same and faster."""
    pairs = get_task(TASK).aligned_pairs()[:6]
    monkeypatch.setattr("viz_core.tasks.task.read_aligned_pairs", lambda file: pairs)
    return pairs


def test_a_job_stores_what_reads_back_as_the_record(root, checkpoints_dir, few_pairs):
    folder = save_translation(checkpoints_dir)
    requested = request_evidence(alignment.NAME, TASK, "tiny", "anna")
    carry_out(requested.path)
    status = runs.read(requested.id).status
    assert (status.state, status.step, status.total) == ("finished", 6, 6)
    result = read_result(folder, alignment.NAME)
    assert result["n"] == 6 and "data" not in result, "it is of no corpus"
    saved, measured = alignment.read(result), measure_alignments(checkpoints.load(TASK, "tiny"), few_pairs)
    assert (saved.pairs, saved.sure, saved.possible) == (measured.pairs, measured.sure, measured.possible)
    assert len(saved.scores) == 2 * (2 * 2 + 2 + 1) + 3, "two queries of two layers with two heads; three baselines"
    for stored, score in zip(saved.scores, measured.scores, strict=True):
        assert (stored.method, stored.query, stored.layer, stored.head) == (
            score.method,
            score.query,
            score.layer,
            score.head,
        )
        assert stored.error_rate == pytest.approx(score.error_rate, abs=1e-5)
    assert saved.gain == pytest.approx(measured.gain, abs=1e-5) and saved.best.head == measured.best.head
    assert not any(word in json.dumps(result, ensure_ascii=False) for pair in few_pairs for word in pair.source[:2])


def test_no_corpus_is_needed(checkpoints_dir, few_pairs):
    assert has_data(TASK, Metrics({"data": "full"})) and not has_data("imdb", Metrics({"data": "full"}))
    save_translation(checkpoints_dir, data="full")
    assert compute_evidence(alignment.NAME, TASK, "tiny", lambda done, total: None)["n"] == 6


@pytest.mark.parametrize("missing", ["pairs", "gain", "scores", "diagonal", "random", "reads"])
def test_a_result_that_is_incomplete_is_none(checkpoints_dir, few_pairs, missing):
    save_translation(checkpoints_dir)
    result = compute_evidence(alignment.NAME, TASK, "tiny", lambda done, total: None)
    assert alignment.read(json.loads(json.dumps(result))) and alignment.read(None) is None
    if missing in result:
        result.pop(missing)
    else:
        result["scores"] = [score for score in result["scores"] if missing not in (score["method"], score["query"])]
    assert alignment.read(result) is None


@pytest.mark.parametrize("kind, task", [("health", TASK), ("alignment", "imdb")])
def test_each_kind_is_of_classifiers_or_of_translations(checkpoints_dir, kind, task):
    save_translation(checkpoints_dir)
    with pytest.raises(Failure) as failure:
        compute_evidence(kind, task, "tiny", lambda done, total: None)
    assert failure.value.message == Message(
        "evidence.unknown", {"name": kind, "task": task, "known": list(evidence_kind(task).compute)}
    )


def test_a_translation_without_aligned_pairs_has_no_such_evidence(checkpoints_dir, monkeypatch):
    save_translation(checkpoints_dir)
    monkeypatch.setattr("viz_core.tasks.task.read_aligned_pairs", lambda file: ())
    with pytest.raises(Failure, match="alignment.no_pairs"):
        compute_evidence(alignment.NAME, TASK, "tiny", lambda done, total: None)
