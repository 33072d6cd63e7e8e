"""Names that people give to heads: kept, removed, passed on; what anyone may have written is harmless."""

import json

import pytest

from viz_core.evidence.head_names import (
    FILE,
    LONGEST_NAME,
    LONGEST_NOTE,
    MOST_BYTES,
    HeadName,
    from_json,
    read_names,
    save_names,
    to_json,
)
from viz_core.records import Failure

ALIGNER, SINK = HeadName("aligner", "花呗 to 花呗"), HeadName("", "a sink?")


def test_names_are_kept_by_model_and_attention(tmp_path):
    folder = tmp_path / "runs"
    assert read_names(folder, "afqmc/small") == {}
    save_names(folder, "afqmc/small", {"self 2.4": ALIGNER})
    save_names(folder, "afqmc/small", {"self 1.2": SINK})
    save_names(folder, "tatoeba/small", {"cross 3.1": ALIGNER})
    assert read_names(folder, "afqmc/small") == {"self 2.4": ALIGNER, "self 1.2": SINK}
    assert read_names(folder, "tatoeba/small") == {"cross 3.1": ALIGNER}


def test_an_empty_name_and_note_remove_it(tmp_path):
    save_names(tmp_path, "m", {"self 2.4": ALIGNER, "self 1.2": SINK})
    save_names(tmp_path, "m", {"self 2.4": HeadName("")})
    assert read_names(tmp_path, "m") == {"self 1.2": SINK}


def test_what_is_exported_is_imported_again():
    names = {"self 2.4": ALIGNER, "causal 12.12": SINK}
    assert from_json(to_json("afqmc/small", names)) == names


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"names": []}', '{"names": {"self 2.4": "x"}}', "[" * 9999, "x" * (MOST_BYTES + 1)]
)
def test_a_file_without_names_is_refused(text):
    with pytest.raises(Failure, match="heads.no_names"):
        from_json(text)


@pytest.mark.parametrize("key", ["2.4", "self 0.1", "self 2.4 ", "other 1.1", "self 1.1.1", "self 9999.1", "__proto__"])
def test_what_is_no_head_is_left_out(key):
    entry = {"name": "x", "note": ""}
    assert list(from_json(json.dumps({"names": {key: entry, "self 1.1": entry}}))) == ["self 1.1"]


def test_long_names_are_cut():
    entry = {"name": "n" * 999, "note": "o" * 9999}
    (name,) = from_json(json.dumps({"names": {"self 1.1": entry}})).values()
    assert (len(name.name), len(name.note)) == (LONGEST_NAME, LONGEST_NOTE)


@pytest.mark.parametrize("damaged", ["", "{", "[1]", '{"m": 3}'])
def test_a_damaged_file_has_no_names(tmp_path, damaged):
    (tmp_path / FILE).write_text(damaged)
    assert read_names(tmp_path, "m") == {}
    save_names(tmp_path, "m", {"self 1.1": ALIGNER})
    assert read_names(tmp_path, "m") == {"self 1.1": ALIGNER}


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(Failure, match="heads.names_not_saved"):
        save_names(tmp_path / "runs", "m", {"self 1.1": ALIGNER})
