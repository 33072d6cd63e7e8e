"""The command `data`: available corpora, their verification, mini-batches."""

import numpy as np
import pytest

from tests.datasets.archives import REVIEWS, pair_files, tar_archive, zip_archive
from tests.words import english
from viz_core.datasets.imdb import IMDB
from viz_core.tasks import CLASSIFICATION, all_tasks, get_task


def test_data_status_names_the_available_corpora(json_output, call, tmp_path):
    assert json_output("data", "status") == dict.fromkeys(name for name, task in all_tasks().items() if task.corpus)
    file = zip_archive(tmp_path / "data" / "afqmc_public.zip", pair_files())
    assert json_output("data", "status", "--task", "afqmc") == {"afqmc": str(file)}
    assert json_output("data", "download", "--task", "afqmc") == {"afqmc": str(file)}, (
        "an available corpus is not downloaded again"
    )


@pytest.mark.parametrize("action", ["status", "download", "verify"])
def test_a_task_whose_rows_are_made_has_nothing_to_download(error_sentences, action):
    for sentence in error_sentences("data", action, "--task", "syllables"):
        assert "--data sample" in sentence


def test_data_verify_names_every_problem(error_sentences, tmp_path):
    assert all("aclImdb_v1.tar.gz" in sentence for sentence in error_sentences("data", "verify", "--task", "imdb"))
    zip_archive(tmp_path / "data" / "afqmc_public.zip", pair_files())
    english, chinese = error_sentences("data", "verify", "--task", "afqmc")
    for sentence in (english, chinese):
        assert "34,334" in sentence and "dev.json" in sentence


def test_data_verify_returns_the_published_counts(json_output, monkeypatch, tmp_path):
    counts = {"train": 6, "test": 2, "unlabelled": 1}
    tar_archive(tmp_path / "data" / "aclImdb_v1.tar.gz", REVIEWS)
    monkeypatch.setitem(vars(IMDB), "published", counts)  # a frozen dataclass has no setattr
    assert json_output("data", "verify", "--task", "imdb") == {"imdb": counts}


@pytest.mark.parametrize("models", [True, False], ids=["with a model's tokenizer", "with a new tokenizer"])
def test_data_batch_is_what_an_encoder_receives(json_output, checkpoints_dir, monkeypatch, tmp_path, models):
    if not models:
        monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    batches = json_output("data", "batch", "--size", "3")
    assert {batch["task"]: batch["data"] for batch in batches} == dict.fromkeys(all_tasks(), "sample")
    assert {batch["task"] for batch in batches if "labels" in batch} == set(all_tasks(CLASSIFICATION))
    for batch in batches:
        assert len(batch["ids"]) == 3 or get_task(batch["task"]).is_packed
        ids, segments, mask = (np.array(batch[name]) for name in ("ids", "segments", "mask"))
        assert ids.shape == segments.shape == mask.shape and len(ids) == len(batch.get("labels", ids))
        assert (ids[~mask] == 0).all() and (segments[~mask] == 0).all() and mask[:, 0].all()
        for row, real in zip(batch["decoded"], mask.sum(1), strict=True):
            assert row.startswith("[CLS] ") and row.count("[PAD]") == mask.shape[1] - real
        assert set(segments[mask]) == ({0, 1} if batch["task"] in ("afqmc", "tatoeba") else {0})


def test_data_batch_reads_an_available_archive(json_output, checkpoints_dir, tmp_path):
    zip_archive(tmp_path / "data" / "afqmc_public.zip", pair_files())
    (batch,) = json_output("data", "batch", "--task", "afqmc", "--size", "1")
    assert batch["data"] == "full"
    (batch,) = json_output("data", "batch", "--task", "afqmc", "--data", "sample", "--size", "1")
    assert batch["data"] == "sample"


@pytest.mark.parametrize("size", [0, -1])
def test_data_batch_of_no_rows_fails(error_sentences, checkpoints_dir, size):
    assert error_sentences("data", "batch", "--size", str(size))[0] == english("cli.bad_size", size=size)
