"""IMDB in the publisher's layout, packed and extracted."""

import io
import tarfile

import pytest

from tests.datasets.archives import REVIEWS, folder, tar_archive
from viz_core.datasets.imdb import BLOCK, IMDB, VALIDATION_BLOCK, members, parse
from viz_core.records import Failure


@pytest.fixture(params=["archive", "folder"])
def source(request, tmp_path):
    if request.param == "archive":
        return tar_archive(tmp_path / "data" / IMDB.archive, REVIEWS)
    return folder(tmp_path / "data", REVIEWS) / IMDB.folder


def test_reviews_by_split_with_labels(source):
    labels = {
        split: dict(zip(frame["text"], frame.get("label", frame["text"]), strict=True))
        for split, frame in parse(members(source)).items()
    }
    assert labels == {
        "train": {"good<br />film": 1, "bad film": 0, "fine": 1, "poor": 0},
        "validation": {"lovely": 1, "awful": 0},
        "duplicates": {},
        "test": {"superb": 1, "café noir": 0},
        "unlabelled": {"some film": "some film"},
    }


def test_corpus_is_located_and_read(source):
    assert IMDB.find() == source
    assert sorted(IMDB.read("validation")["text"]) == ["awful", "lovely"]
    assert list(IMDB.read("unlabelled")) == ["text"]


def test_validation_is_whole_blocks_of_neighbouring_ids():
    numbers = range(3_000)
    files = (
        (f"train/{kind}/{number}_5.txt", f"{kind} {number}".encode()) for number in numbers for kind in ("pos", "neg")
    )
    frames = parse(files)
    held_out = {int(text.split()[1]) for text in frames["validation"]["text"]}
    assert held_out == {
        n for n in numbers if n // BLOCK in (VALIDATION_BLOCK, VALIDATION_BLOCK + 10, VALIDATION_BLOCK + 20)
    }
    assert not set(frames["validation"]["text"]) & set(frames["train"]["text"])
    assert frames["validation"]["label"].mean() == 0.5


def test_a_review_of_train_is_left_out_of_validation_and_the_others_keep_their_numbers(tmp_path):
    """As in the publisher's archive, where some reviews occur twice in train."""
    repeated = {"aclImdb/train/neg/500_3.txt": "Good<br />film!", "aclImdb/train/pos/501_8.txt": "fine"}
    tar_archive(tmp_path / "data" / IMDB.archive, {**REVIEWS, **repeated})
    assert dict(IMDB.read("validation")["text"]) == {1: "lovely", 3: "awful"}
    assert dict(IMDB.read("duplicates")["text"]) == {0: "Good<br />film!", 2: "fine"}
    assert sorted(IMDB.read("train")["text"]) == ["bad film", "fine", "good<br />film", "poor"]


def test_paths_that_lead_out_of_the_archive_are_ignored(tmp_path):
    path = tar_archive(
        tmp_path / "data" / IMDB.archive,
        {**REVIEWS, "../evil.txt": "evil", "../train/pos/1_9.txt": "evil", "/tmp/evil.txt": "evil"},
    )
    with tarfile.open(path, "r:gz") as archive:  # and a link to a file outside
        entries = [(entry, archive.extractfile(entry).read()) for entry in archive]
    link = tarfile.TarInfo("aclImdb/train/pos/2_9.txt")
    link.type, link.linkname = tarfile.SYMTYPE, "../../../../secret.txt"
    with tarfile.open(path, "w:gz") as archive:
        for entry, content in entries:
            archive.addfile(entry, io.BytesIO(content))
        archive.addfile(link)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    texts = set().union(*(IMDB.read(split)["text"] for split in ("train", "validation", "test", "unlabelled")))
    assert texts == {text for name, text in REVIEWS.items() if name.endswith(".txt")} - {"Lovely!"}  # as in validation
    assert not [file for file in tmp_path.rglob("*") if "evil" in file.name]


def test_an_archive_without_reviews_is_a_failure(tmp_path):
    tar_archive(tmp_path / "data" / IMDB.archive, {"aclImdb/README": "nothing"})
    with pytest.raises(Failure) as failure:
        IMDB.read("train")
    assert failure.value.message.key == "datasets.unreadable"
    assert "no reviews" in failure.value.message.values["reason"]
