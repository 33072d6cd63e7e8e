"""JSON from files that anyone may have written."""

import json
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.bounded_json import MAX_BYTES, MAX_DEPTH, parse_json, read_json_object

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(JSON)
def test_a_value_is_read_as_it_was_written(value):
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}"), ('[1,{"a":', "}]")])
def test_depth_is_bounded_whatever_the_brackets(opening, closing):
    most = MAX_DEPTH // len(closing)
    assert parse_json(opening * most + "1" + closing * most)
    for count in (most + 1, 200_000):
        with pytest.raises(ValueError, match="64 levels"):
            parse_json(opening * count + "1" + closing * count)


def test_depth_is_bounded_in_a_thread_with_a_small_stack():
    reasons = []

    def parse() -> None:
        try:
            parse_json('{"a":' * 200_000)
        except ValueError as error:
            reasons.append(str(error))

    thread = Thread(target=parse)
    thread.start()
    thread.join()
    assert reasons == ["nested more than 64 levels deep"]


def test_half_a_character_is_refused_and_a_whole_one_is_not():
    assert parse_json('"\\ud83d\\ude00"') == "😀"
    for text in ('"\\ud83d"', '{"\\udc00": 1}', '["\\ud83d x"]'):
        with pytest.raises(ValueError, match="surrogates"):
            parse_json(text)


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"[1]", "list, not a JSON object"),
        (b'{"a": ', "Expecting value"),
        (b"\xff\xfe", "decode"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b" " * (MAX_BYTES + 1), "33,554,433 bytes, more than 33,554,432"),
    ],
    ids=["a list", "cut short", "not UTF-8", "5,000 digits", "too large"],
)
def test_a_file_is_refused_with_a_reason(tmp_path, content, reason):
    (tmp_path / "file.json").write_bytes(content)
    with pytest.raises(ValueError, match=reason):
        read_json_object(tmp_path / "file.json")
