"""AFQMC in the publisher's layout, packed and extracted."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.datasets.archives import PAIRS, folder, json_lines, pair_files, zip_archive
from viz_core.datasets.afqmc import AFQMC, members, parse, sentence_groups
from viz_core.records import Failure


@pytest.fixture(params=["archive", "archive with a folder inside", "folder"])
def source(request, tmp_path):
    if request.param == "folder":
        return folder(tmp_path / "data" / AFQMC.folder, pair_files())
    prefix = "afqmc_public/" if "inside" in request.param else ""
    return zip_archive(tmp_path / "data" / AFQMC.archive, pair_files(prefix))


def rows(frame: pd.DataFrame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


def test_pairs_by_split_with_labels(source):
    frames = parse(members(source))
    assert rows(frames["test"]) == [("额度多少", "额度有多少", 1), ("额度多少", "如何还", 0)]
    assert rows(frames["unlabelled"]) == [("没有答案", "没答案")]
    # The first two pairs share a sentence: both are in group 0, which is held out.
    assert rows(frames["validation"]) == [("花呗怎么还", "花呗如何还", 1), ("花呗如何还", "借呗如何还", 0)]
    assert rows(frames["train"]) == [("怎么开通", "如何关闭", 0)]


def test_corpus_is_located_and_read(source):
    assert AFQMC.find() == source
    assert len(AFQMC.read("test")) == 2


def test_groups_are_connected_components_of_common_sentences():
    pairs = pd.DataFrame([("a", "b"), ("c", "d"), ("b", "e"), ("f", "e"), ("g", "g")], columns=["text", "text_b"])
    assert sentence_groups(pairs).tolist() == [0, 1, 0, 0, 2]


SENTENCES = st.integers(0, 60).map(str)


@given(st.lists(st.tuples(SENTENCES, SENTENCES, st.sampled_from("01")), min_size=1, max_size=60))
def test_no_sentence_of_validation_occurs_in_train(pairs):
    files = [(name, json_lines(pairs if name == "train.json" else PAIRS[name]).encode()) for name in PAIRS]
    frames = parse(iter(files))
    sentences = {split: set(frames[split]["text"]) | set(frames[split]["text_b"]) for split in ("train", "validation")}
    assert not sentences["train"] & sentences["validation"]
    assert len(frames["train"]) + len(frames["validation"]) == len(pairs) and frames["duplicates"].empty


def test_a_pair_with_a_sentence_of_train_is_left_out_of_validation_whatever_its_punctuation(tmp_path):
    pairs = [("花呗怎么还", "花呗如何还", "1"), ("花呗如何还", "怎么开通？", "0"), ("怎么开通", "如何关闭", "0")]
    zip_archive(tmp_path / "data" / AFQMC.archive, {**pair_files(), "train.json": json_lines(pairs)})
    assert rows(AFQMC.read("train")) == [("怎么开通", "如何关闭", 0)]
    assert rows(AFQMC.read("validation")) == [("花呗怎么还", "花呗如何还", 1)]
    assert rows(AFQMC.read("duplicates")) == [("花呗如何还", "怎么开通？", 0)]


def test_line_separators_in_a_sentence_do_not_end_the_row(tmp_path):
    zip_archive(
        tmp_path / "data" / AFQMC.archive, {**pair_files(), "dev.json": json_lines([("还\u2028款", "还\x85款", "1")])}
    )
    assert rows(AFQMC.read("test")) == [("还\u2028款", "还\x85款", 1)]


def test_paths_that_lead_out_of_the_archive_are_ignored(tmp_path):
    evil = json_lines([("坏", "坏", "1")])
    zip_archive(
        tmp_path / "data" / AFQMC.archive,
        {**pair_files(), "../evil.txt": evil, "../dev.json": evil, "/tmp/evil.txt": evil},
    )
    assert len(AFQMC.read("test")) == 2
    assert not [file for file in tmp_path.rglob("*") if "evil" in file.name]


@pytest.mark.parametrize(
    "files, reason",
    [
        ({name: text for name, text in pair_files().items() if name != "dev.json"}, "dev.json"),
        ({**pair_files(), "dev.json": '{"sentence1": "花"}\n'}, "sentence2"),
        ({**pair_files(), "dev.json": "{oops\n"}, ""),
        ({**pair_files(), "dev.json": "7\n"}, ""),
    ],
    ids=["file missing", "field missing", "not JSON", "not an object"],
)
def test_invalid_contents_are_a_failure(tmp_path, files, reason):
    zip_archive(tmp_path / "data" / AFQMC.archive, files)
    with pytest.raises(Failure) as failure:
        AFQMC.read("test")
    assert failure.value.message.key == "datasets.unreadable"
    assert reason in failure.value.message.values["reason"]


def test_json_of_the_archives_has_the_publishers_field_names():
    assert json.loads(json_lines(PAIRS["dev.json"]).splitlines()[0]) == {
        "sentence1": "额度多少",
        "sentence2": "额度有多少",
        "label": "1",
    }
