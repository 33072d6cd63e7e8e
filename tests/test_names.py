"""Names of runs and models: which are refused, what is suggested and shown instead."""

import pytest

from viz_core.names import MAX_CHARACTERS, check_folder_name, check_name, folder_name, shown_name
from viz_core.records import Failure

BAD = {
    "empty": "",
    "long": "x" * (MAX_CHARACTERS + 1),
    "NUL": "a\0b",
    "line break": "a\nb",
    "separator": "a\u2028b",
    "right to left": "a\u202eb",
    "half a character": "a\ud800b",
}
BAD_FOLDERS = {
    **{name: name for name in ("a/b", "..", ".hidden", "a\\b", "C:x", "what?", "dot.", "space ", " space")},
    **{name: name for name in ("CON", "con.txt", "Nul", "LPT1", "aux.1")},
    "too many bytes": "\U00020000" * MAX_CHARACTERS,
}


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_a_name_is_short_and_has_no_control_characters(name):
    for check in (check_name, check_folder_name):
        with pytest.raises(Failure) as failure:
            check(name)
        assert failure.value.message.key == "training.bad_name"
        assert failure.value.message.values["name"].isprintable()


@pytest.mark.parametrize("name", BAD_FOLDERS.values(), ids=BAD_FOLDERS)
def test_a_name_that_some_system_takes_for_no_folder_is_refused_for_a_model_only(name):
    check_name(name)
    with pytest.raises(Failure, match="bad_name"):
        check_folder_name(name)


@pytest.mark.parametrize("name", ["small", "small-2", "v1.5 _x", "情感 模型", "console", "com", "x" * MAX_CHARACTERS])
def test_names_that_are_allowed(name):
    check_folder_name(name)


@pytest.mark.parametrize("name", [*BAD.values(), *BAD_FOLDERS.values(), "花" * 200, "x" * 300])
def test_a_suggested_name_is_allowed_also_with_a_number(name):
    check_folder_name(folder_name(name))
    check_folder_name(f"{folder_name(name)}-200")


def test_a_name_is_suggested_and_shown_as_it_is_where_it_can_be():
    assert folder_name("small-2") == shown_name("small-2") == "small-2"
    assert (folder_name("a b/c"), folder_name("CON")) == ("a-b-c", "model-CON")
    assert shown_name("a\n\u202eb") == "a��b"
    assert len(shown_name("x" * 300)) == 100
