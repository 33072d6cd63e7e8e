"""A flipped byte, a cut or an empty file, in every kind of file that is read: a Failure that names it, or a result."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.datasets.archives import REVIEWS, pair_files, tar_archive, zip_archive
from tests.evidence.test_ledger import READING
from tests.jobs.programs import sentence, submit
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.batch_prediction import results
from viz_core.evidence.ledger import ledger_file, read_ledger, record_reading
from viz_core.evidence.results import read_result, result_file, write_result
from viz_core.jobs import runs
from viz_core.jobs.end_reasons import record_end
from viz_core.jobs.local import handle_here
from viz_core.jobs.state import METRICS, End, Status, write_status
from viz_core.records import Evaluation, Failure
from viz_core.tasks import get_task
from viz_core.training.run import last_evaluation
from viz_core.training.snapshots import read_snapshot, write_snapshot
from viz_core.training.state import TENSORS, VALUES, TrainerState, load_state, load_trainer_state, save_state

pytestmark = pytest.mark.usefixtures("root")
DAMAGES = int(os.environ.get("VIZ_FAULTS", 12))
LOG_TEXT = "----- attempt 1, 2026-01-01\nMemoryError\n"
GONE = {**handle_here(None), "pid": 2**22 + 1}


def damage(content: bytes, number: int, seed: str) -> bytes:
    """Damage of one of four kinds: a flipped bit, a cut, another byte in place of one, nothing at all."""
    draw = random.Random(f"{seed} {number}")
    position = draw.randrange(len(content))
    if number % 4 == 0:
        return content[:position] + bytes([content[position] ^ 1 << draw.randrange(8)]) + content[position + 1 :]
    if number % 4 == 1:
        return content[:position]
    if number % 4 == 2:
        return content[:position] + draw.choice([b"\0", b"\xff", b"{", b"9" * 400, b"\n"]) + content[position + 1 :]
    return b"" if number < 4 else content + content[:position]


def check_damage(file: Path, read: Callable[[], object], times: int = DAMAGES) -> None:
    """Whatever the damage, `read` returns or raises a Failure with a sentence; with the file as it was it returns."""
    content, failures = file.read_bytes(), 0
    for number in range(times):
        file.write_bytes(damage(content, number, file.name))
        try:
            read()
        except Failure as failure:
            failures += 1
            assert sentence(failure.message)
    file.write_bytes(content)
    read()


@pytest.mark.parametrize("name", ["status.json", "request.json", METRICS, "log.txt"])
def test_a_damaged_file_of_a_run_spoils_no_other_run(name):
    run, other = submit(), submit()
    write_status(run.path, Status("running", step=3, best={"accuracy": 0.5, "step": 3}, heartbeat=1.0, handle=GONE))
    (run.path / METRICS).write_text('{"evaluation": 1, "phase": "train", "epoch": 1, "step": 2, "loss": 0.5}\n' * 3)
    (run.path / "log.txt").write_text(LOG_TEXT)

    def read() -> None:
        listed = {item.id: item for item in runs.list_runs()}
        assert listed[other.id].status.state == "queued" and run.id in listed
        now = listed[run.id]
        for row in runs.read_metrics(now)[0]:
            Evaluation.from_dict(row)
        Evaluation.from_dict(now.status.best)
        last_evaluation(run.path / METRICS)
        record_end(run.path, End(1))
        if now.status.message:
            sentence(now.status.message)
        with suppress(Failure):
            runs.stop(run.id)
            runs.resume(run.id)

    check_damage(run.path / name, read)


def test_a_damaged_snapshot_is_named(tmp_path, checkpoints_dir):
    explanation = explain(checkpoints.load("imdb", "tiny"), "a good film")
    write_snapshot(tmp_path, 3, 0, explanation)
    check_damage(tmp_path / "probes/3-0.npz", lambda: read_snapshot(tmp_path, 3, 0), 4 * DAMAGES)


@pytest.mark.parametrize("name", [TENSORS, VALUES])
def test_a_damaged_state_of_a_training_is_named(tmp_path, name):
    module = nn.Linear(3, 2)
    optimiser = torch.optim.SGD(module.parameters(), momentum=0.9)
    module(torch.ones(1, 3)).sum().backward()
    optimiser.step()
    state = TrainerState(phase="train", step=3, best={"evaluation": 1, "epoch": 1, "step": 3})
    save_state(tmp_path, state, module, optimiser, {"cpu": torch.get_rng_state()[None]})

    def read() -> None:
        load_trainer_state(tmp_path)
        load_state(tmp_path, module, optimiser, torch.device("cpu"), 0)

    before = torch.get_rng_state()
    check_damage(tmp_path / name, read, 4 * DAMAGES)
    torch.set_rng_state(before)


@pytest.mark.parametrize(
    "name", [checkpoints.WEIGHTS, checkpoints.CONFIG, checkpoints.TOKENIZER, checkpoints.METRICS, checkpoints.CARD]
)
def test_a_damaged_model_spoils_no_other_model(checkpoints_dir, name):
    (checkpoints_dir / "imdb/tiny" / checkpoints.CARD).write_text("# imdb / tiny\n")

    def read() -> None:
        infos, failures = checkpoints.list_checkpoints()
        assert [info.task for info in infos if info.task == "afqmc"] and len(infos) + len(failures) == 2
        for failure in failures:
            sentence(failure.message)
        explain(checkpoints.load("imdb", "tiny"), "a good film")

    check_damage(checkpoints_dir / "imdb/tiny" / name, read)


def test_damaged_evidence_counts_as_missing(checkpoints_dir):
    model = checkpoints_dir / "imdb/tiny"
    write_result(model, "health", {"n": 3, "rows": [1, 2, 3]})
    check_damage(result_file(model, "health"), lambda: read_result(model, "health"))


def test_a_damaged_ledger_is_named(checkpoints_dir):
    for _ in range(3):
        record_reading(READING)
    check_damage(ledger_file(), read_ledger)


@pytest.mark.parametrize("name", [results.PREDICTIONS, results.PROBLEMS, results.WRITTEN])
def test_damaged_predictions_of_a_file_are_read_as_far_as_they_are_whole(tmp_path, checkpoints_dir, name):
    checkpoint = checkpoints.load("imdb", "tiny")
    written = results.Results(tmp_path, get_task("imdb"), checkpoint.settings)
    row = next(_rows(tmp_path))
    written.add([row] * 20, torch.full((20, 2), 0.5).numpy())
    (tmp_path / results.PROBLEMS).write_text('{"line": 3, "problem": {"key": "text.blank", "values": {}}}\n')

    def read() -> None:
        results.first_rows(tmp_path, get_task("imdb"), 10)
        results.read_labelled_rows(tmp_path, get_task("imdb"))
        for message in results.problems(tmp_path, 10):
            sentence(message)
        results.content(tmp_path)

    check_damage(tmp_path / name, read)


def _rows(folder: Path) -> Iterator:
    from viz_core.tables.csv_rows import csv_rows

    (folder / "in.csv").write_text("text,label\na good film,1\n")
    return csv_rows(folder / "in.csv", pair=False)


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_a_damaged_or_cut_archive_is_refused(tmp_path, task):
    data = tmp_path / "data"
    file = (
        tar_archive(data / "aclImdb_v1.tar.gz", REVIEWS)
        if task == "imdb"
        else zip_archive(data / "afqmc_public.zip", pair_files())
    )
    check_damage(file, lambda: get_task(task).corpus.read("train"), 2 * DAMAGES)


def test_a_damaged_cache_of_a_corpus_is_parsed_again(tmp_path):
    zip_archive(tmp_path / "data/afqmc_public.zip", pair_files())
    corpus = get_task("afqmc").corpus
    rows = corpus.read("train")
    (file,) = (tmp_path / "project").rglob("train.parquet")
    content = file.read_bytes()
    for number in range(DAMAGES):
        if number % 4:  # a flipped bit in a text is no error of the format
            file.write_bytes(damage(content, number, "cache"))
            assert len(corpus.read("train")) == len(rows)
