"""Locating, caching, verifying and downloading a corpus."""

import gc
import hashlib
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest

from tests.datasets.archives import REVIEWS, pair_files, tar_archive, zip_archive
from viz_core.datasets import corpus as corpus_module
from viz_core.datasets.afqmc import AFQMC
from viz_core.datasets.imdb import IMDB
from viz_core.records import Failure, Message


def failure_of(call) -> Message:
    with pytest.raises(Failure) as failure:
        call()
    return failure.value.message


def test_a_missing_corpus_is_reported_with_its_archive_and_all_folders(tmp_path):
    assert IMDB.find() is None
    message = failure_of(lambda: IMDB.read("train"))
    assert message == Message(
        "datasets.missing",
        {
            "corpus": "imdb",
            "archive": "aclImdb_v1.tar.gz",
            "folders": [str(tmp_path / "data"), str(tmp_path / "project" / "data")],
        },
    )


def test_the_project_folder_is_searched_too(tmp_path, monkeypatch):
    path = tar_archive(tmp_path / "project" / "data" / IMDB.archive, REVIEWS)
    assert IMDB.find() == path
    monkeypatch.delenv("VIZ_DATA_DIR")
    assert IMDB.find() == path


def test_an_unknown_split_is_an_error_that_names_the_splits():
    with pytest.raises(ValueError, match="'dev'.*train, validation, duplicates, test, unlabelled"):
        IMDB.read("dev")


@pytest.mark.parametrize("corpus", [IMDB, AFQMC], ids=lambda corpus: corpus.name)
@pytest.mark.parametrize("damage", ["not an archive", "cut short", "garbled"])
def test_damaged_archive_is_a_failure(tmp_path, corpus, damage):
    path = tmp_path / "data" / corpus.archive
    noise = hashlib.shake_256(b"noise").hexdigest(5_000)  # incompressible, so that the damage hits it
    if corpus is IMDB:
        tar_archive(path, {**REVIEWS, "aclImdb/test/neg/9_1.txt": noise})
    else:
        zip_archive(path, {**pair_files(), "train.json": pair_files()["train.json"].replace("怎么", noise)})
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "not an archive": b"hello" * 100,
            "cut short": content[:middle],
            "garbled": content[:middle] + b"\xff" * 40 + content[middle + 40 :],
        }[damage]
    )
    message = failure_of(lambda: corpus.read("train"))
    assert message.key == "datasets.unreadable"
    assert message.values["file"] == corpus.archive
    assert not (tmp_path / "project").exists(), "a partial corpus must not be cached"


def test_second_read_does_not_parse_again(tmp_path):
    def count_and_parse(files):
        calls.append(files)
        return IMDB.parse(files)

    calls, corpus = [], replace(IMDB, parse=count_and_parse)
    path = tar_archive(tmp_path / "data" / IMDB.archive, REVIEWS)
    first = corpus.read("train")
    assert corpus.read("train").equals(first) and len(corpus.read("test")) == 2
    assert len(calls) == 1
    tar_archive(path, {**REVIEWS, "aclImdb/test/neg/9_1.txt": "another"})
    assert len(corpus.read("test")) == 3, "another archive has another cache"


def test_a_changed_file_invalidates_the_cache_of_a_folder(tmp_path):
    folder = tmp_path / "data" / AFQMC.folder
    folder.mkdir(parents=True)
    for name, text in pair_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    assert len(AFQMC.read("test")) == 2
    with (folder / "dev.json").open("a", encoding="utf-8") as file:
        file.write('{"sentence1": "新", "sentence2": "旧", "label": "0"}\n')
    assert len(AFQMC.read("test")) == 3


def test_splits_cached_by_an_earlier_version_are_not_read(tmp_path, monkeypatch):
    tar_archive(tmp_path / "data" / IMDB.archive, {**REVIEWS, "aclImdb/train/pos/501_8.txt": "fine"})
    frames = {split: pd.DataFrame({"text": ["fine"]}) for split in corpus_module.SPLITS}
    with monkeypatch.context() as earlier:
        earlier.setattr(corpus_module, "_VERSION", 1)
        assert replace(IMDB, parse=lambda files: frames).read("validation")["text"].tolist() == ["fine"]
        assert IMDB.read("validation")["text"].tolist() == ["fine"], "cached"
    assert sorted(IMDB.read("validation")["text"]) == ["awful", "lovely"]


def test_verify_counts_the_duplicates_as_rows_of_train(tmp_path):
    tar_archive(tmp_path / "data" / IMDB.archive, {**REVIEWS, "aclImdb/train/pos/501_8.txt": "fine"})
    assert replace(IMDB, published={"train": 7, "test": 2, "unlabelled": 1}).verify() == []


def test_verify_reports_wrong_counts_and_files(tmp_path):
    tar_archive(tmp_path / "data" / IMDB.archive, REVIEWS)
    assert IMDB.verify() == [
        Message("datasets.wrong_count", {"corpus": "imdb", "split": split, "rows": rows, "expected": expected})
        for split, rows, expected in (("train", 6, 25_000), ("test", 2, 25_000), ("unlabelled", 1, 49_963))
    ]
    assert replace(IMDB, published={"train": 6, "test": 2, "unlabelled": 1}).verify() == []

    files = pair_files()
    zip_archive(tmp_path / "data" / AFQMC.archive, files)
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    corpus = replace(AFQMC, published={"train": 3, "test": 2, "unlabelled": 1}, file_hashes=hashes)
    assert corpus.verify() == []
    assert replace(corpus, file_hashes={**hashes, "dev.json": "0" * 64}).verify() == [
        Message("datasets.wrong_file", {"corpus": "afqmc", "file": "dev.json"})
    ]


@pytest.fixture
def publisher(tmp_path):
    """The address of a local web server with both archives."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    tar_archive(tmp_path / "web" / IMDB.archive, REVIEWS)
    zip_archive(tmp_path / "web" / AFQMC.archive, pair_files())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "web"))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def sha256(path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_download_is_saved_in_the_first_folder_and_used(tmp_path, publisher):
    corpus = replace(IMDB, url=publisher + IMDB.archive, known_hash=sha256(tmp_path / "web" / IMDB.archive))
    assert corpus.download(progress=False) == tmp_path / "data" / IMDB.archive == corpus.find()
    assert len(corpus.read("train")) == 4


def test_a_download_with_a_wrong_checksum_is_refused(tmp_path, publisher):
    url = publisher + IMDB.archive
    message = failure_of(lambda: replace(IMDB, url=url).download(progress=False))
    assert message == Message("datasets.wrong_checksum", {"corpus": "imdb", "url": url})
    assert IMDB.find() is None


def test_files_of_a_download_are_verified_if_the_archive_has_no_checksum(publisher):
    corpus = replace(AFQMC, url=publisher + AFQMC.archive)
    assert failure_of(lambda: corpus.download(progress=False)).key == "datasets.wrong_checksum"
    assert AFQMC.find() is None
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in pair_files().items()}
    assert replace(corpus, file_hashes=hashes).download(progress=False) == AFQMC.find()


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # pooch leaves a refused response open
@pytest.mark.parametrize("path, reason", [("nowhere.zip", "HTTPError"), (None, "ConnectionError")])
def test_a_failed_download_is_reported_with_the_address(tmp_path, publisher, path, reason):
    url = publisher + path if path else "http://127.0.0.1:9/x.zip"  # port 9 refuses connections
    message = failure_of(lambda: replace(AFQMC, url=url).download(progress=False))
    assert message == Message(
        "datasets.download_failed",
        {"corpus": "afqmc", "url": url, "archive": AFQMC.archive, "folder": str(tmp_path / "data"), "reason": reason},
    )
    gc.collect()  # closes the open response here instead of in another test


def test_corpora_are_downloaded_by_https():
    assert all(corpus.url.startswith("https://") for corpus in (IMDB, AFQMC))
    assert corpus_module.SPLITS == ("train", "validation", "duplicates", "test", "unlabelled")
