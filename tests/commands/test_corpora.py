"""The command `data`: what it finds, checks and cuts into mini-batches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.datasets.archives import REVIEWS, pair_files, tar, zipped
from viz_core.datasets.imdb import IMDB


def test_data_status_tells_what_is_at_hand(answer, call, tmp_path):
    assert answer("data", "status") == {"imdb": None, "afqmc": None}
    file = zipped(tmp_path / "data" / "afqmc_public.zip", pair_files())
    assert answer("data", "status", "--task", "afqmc") == {"afqmc": str(file)}
    assert answer("data", "download", "--task", "afqmc") == {"afqmc": str(file)}, "what is at hand is not fetched again"


def test_data_verify_names_everything_that_is_wrong(sentences, tmp_path):
    assert all("aclImdb_v1.tar.gz" in said for said in sentences("data", "verify", "--task", "imdb"))
    zipped(tmp_path / "data" / "afqmc_public.zip", pair_files())
    english, chinese = sentences("data", "verify", "--task", "afqmc")
    for said in (english, chinese):
        assert "34,334" in said and "dev.json" in said


def test_data_verify_gives_the_published_counts(answer, monkeypatch, tmp_path):
    counts = {"train": 6, "test": 2, "unlabelled": 1}
    tar(tmp_path / "data" / "aclImdb_v1.tar.gz", REVIEWS)
    monkeypatch.setitem(vars(IMDB), "published", counts)  # a frozen dataclass takes no setattr
    assert answer("data", "verify", "--task", "imdb") == {"imdb": counts}


@pytest.mark.parametrize("models", [True, False], ids=["with a model's tokenizer", "with a new tokenizer"])
def test_data_batch_is_what_an_encoder_gets(answer, checkpoints_dir, monkeypatch, tmp_path, models):
    if not models:
        monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    batches = answer("data", "batch", "--size", "3")
    assert [(one["task"], one["data"]) for one in batches] == [("imdb", "sample"), ("afqmc", "sample")]
    for batch in batches:
        ids, segments, mask = (np.array(batch[name]) for name in ("ids", "segments", "mask"))
        assert ids.shape == segments.shape == mask.shape and len(ids) == 3 == len(batch["labels"])
        assert (ids[~mask] == 0).all() and (segments[~mask] == 0).all() and mask[:, 0].all()
        for row, real in zip(batch["decoded"], mask.sum(1), strict=True):
            assert row.startswith("[CLS] ") and row.count("[PAD]") == mask.shape[1] - real
        assert set(segments[mask]) == ({0, 1} if batch["task"] == "afqmc" else {0})


def test_data_batch_reads_an_archive_at_hand(answer, checkpoints_dir, tmp_path):
    zipped(tmp_path / "data" / "afqmc_public.zip", pair_files())
    (batch,) = answer("data", "batch", "--task", "afqmc", "--size", "1")
    assert batch["data"] == "full"
    (batch,) = answer("data", "batch", "--task", "afqmc", "--data", "sample", "--size", "1")
    assert batch["data"] == "sample"


@pytest.mark.parametrize("size", ["0", "-1"])
def test_data_batch_has_at_least_one_row(sentences, checkpoints_dir, size):
    assert sentences("data", "batch", "--size", size)[0] == f"A mini-batch has at least 1 row, not {size}."
