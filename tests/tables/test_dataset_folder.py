"""Reading folders of data sets: the layouts of the hub and of `save_to_disk`; splits, names of classes."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tables.test_reading import OBJECT, check_sentences, failure, notices, rows
from viz_core.tables import dataset_folder, table
from viz_core.tables.reading import read_table

FEATURES = {"text": {"dtype": "string", "_type": "Value"}, "label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}


def arrow(texts: list, labels: list, named: bool = True, **columns) -> pa.Table:
    metadata = {"huggingface": json.dumps({"info": {"features": FEATURES}})} if named else None
    return pa.table({"text": texts, "label": labels, **columns}).replace_schema_metadata(metadata)


def write_stream(content: pa.Table, file) -> None:
    file.parent.mkdir(exist_ok=True, parents=True)
    with pa.OSFile(str(file), "wb") as target, pa.ipc.new_stream(target, content.schema) as writer:
        writer.write_table(content)


@pytest.mark.parametrize("place", ["data/{split}-00000-of-00001.parquet", "{split}.parquet", "{split}/0000.parquet"])
def test_files_of_parquet_are_splits(tmp_path, place):
    for split, content in (("train", arrow(["a", "b"], [0, 1])), ("test", arrow(["c"], [-1]))):
        file = tmp_path / place.format(split=split)
        file.parent.mkdir(exist_ok=True)
        pq.write_table(content, file)
    (tmp_path / "README.md").write_text("# Reviews")
    found = read_table(tmp_path)
    assert rows(found) == [["text", "label", "split"], ["a", "neg", "train"], ["b", "pos", "train"], ["c", "", "test"]]
    assert found.lines.tolist() == [1, 2, 1] and found.format == "dataset" and set(found.frame.dtypes) == {OBJECT}


def test_a_file_of_parquet_is_a_table(tmp_path):
    pq.write_table(arrow(["a", None], [1, None], score=[1.0, 0.5], long=[["x"], ["y"]]), tmp_path / "any")
    found = read_table((tmp_path / "any").read_bytes(), "any")
    assert rows(found) == [["text", "label", "score"], ["a", "pos", "1"], ["", "", "0.5"]]
    assert notices(found) == {"left_out": {"names": ["long"]}}
    pq.write_table(arrow(["a"], [1]), tmp_path / "reviews.parquet")
    assert rows(read_table(tmp_path)) == [["text", "label", "split"], ["a", "pos", "train"]]


def test_what_save_to_disk_wrote(tmp_path):
    for split, content in (("test", arrow(["c"], [0], named=False)), ("train", arrow(["a"], [1], named=False))):
        write_stream(content, tmp_path / split / "data-00000-of-00001.arrow")
        (tmp_path / split / "state.json").write_text(json.dumps({"_split": split}))
        (tmp_path / split / "dataset_info.json").write_text(json.dumps({"features": FEATURES}))
    (tmp_path / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    assert rows(read_table(tmp_path))[1:] == [["a", "pos", "train"], ["c", "neg", "test"]]
    assert rows(read_table(tmp_path / "test"))[1:] == [["c", "neg", "test"]]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("name", ["dev", "valid", "my-val", "validation_matched"])
def test_files_of_text_are_splits(tmp_path, ending, name):
    def write(split, text, label):
        content = f"text,label\n{text},{label}\n" if ending == "csv" else json.dumps({"text": text, "label": label})
        (tmp_path / f"{split}.{ending}").write_text(content)

    write(name, "b", 0)
    write("train", "a", 1)
    write("notes", "no split", 1)
    (tmp_path / "dataset_info.json").write_text(json.dumps({"features": FEATURES}))
    assert rows(read_table(tmp_path))[1:] == [["a", "pos", "train"], ["b", "neg", "validation"]]


def test_splits_may_have_other_columns_and_one_called_split(tmp_path):
    (tmp_path / "train.csv").write_text("text,split\na,x\n\nb,y\n")
    (tmp_path / "test.csv").write_text("text,more\nc,z\n\nd,z\n")
    found = read_table(tmp_path)
    assert rows(found)[0] == ["text", "split 2", "more", "split"]
    assert rows(found)[1] == ["a", "x", "", "train"] and rows(found)[4] == ["d", "", "z", "test"]
    assert notices(found) == {"blank_rows": {"count": 1}} and found.lines.tolist() == [2, 4, 2, 4]


def test_a_folder_without_a_data_set_is_a_failure(tmp_path):
    (tmp_path / "notes.csv").write_text("text\na\n")
    assert failure(tmp_path, "") == ("folder", {"file": tmp_path.name})
    for split in ("train", "test"):
        (tmp_path / f"{split}.csv").write_text("text\n")
    key, values = failure(tmp_path, "mine")
    assert (key, values["file"]) == ("no_rows", "mine/train.csv")


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_damaged_files_are_failures(tmp_path, ending):
    write_stream(arrow(["a" * 50] * 50, [0] * 50), tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    for damaged in (content[:200], content[: len(content) // 2], b"PAR1" + content[-200:], b"nothing"):
        (tmp_path / f"train.{ending}").write_bytes(damaged)
        assert failure(tmp_path, "")[0] in ("dataset", "no_rows")


def test_bounds(tmp_path, monkeypatch):
    for split in ("train", "test"):
        pq.write_table(arrow(["a", "b"], [0, 1]), tmp_path / f"{split}.parquet")
    monkeypatch.setattr(table, "MOST_ROWS", 3)
    assert failure(tmp_path, "mine") == ("rows", {"file": "mine", "rows": 4, "most": 3})
    monkeypatch.setattr(table, "MOST_UNPACKED", 30)
    assert failure(tmp_path, "mine")[0] == "unpacked"
    monkeypatch.setattr(table, "MOST_BYTES", 1000)
    assert failure(tmp_path, "mine")[0] == "large"


def test_broken_descriptions_are_no_problem(tmp_path):
    (tmp_path / "train.csv").write_text("text,label\na,1\n")
    for text in ("[", "[]", '{"features": 1}', '{"features": {"label": 1}}', "[" * 100_000):
        (tmp_path / "dataset_info.json").write_text(text)
        found = read_table(tmp_path)
        assert rows(found)[1:] == [["a", "1", "train"]]
        for notice in found.notices:
            check_sentences(notice)
    assert dataset_folder._features(b'{"info": {"features": 1}}') == {}
