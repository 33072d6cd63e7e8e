"""Requests that every route refuses, with a message in the language of the browser."""

import shutil

import pytest

from pages.routes.budget import TYPING
from pages.routes.explain import explain
from pages.routes.heads import heads
from pages.routes.whatif import whatif
from tests.pages.routes import route_requests
from tests.pages.routes.route_requests import refusal_message

REQUEST = route_requests.REQUEST | {"heads": [[1, 0]], "language": "en"}  # each route ignores the others' fields

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.parametrize("route", [explain, heads, whatif])]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"\xff",
        b"null",
        b"[]",
        {},
        REQUEST | {"task": 1},
        REQUEST | {"model": None},
        REQUEST | {"texts": "花呗"},
        REQUEST | {"texts": []},
        REQUEST | {"texts": ["花"] * 3},
        REQUEST | {"texts": ["a", 1]},
        REQUEST | {"texts": [None, "a"]},
    ],
)
def test_invalid_requests_are_refused(route, body):
    assert "must be a JSON object" in refusal_message(route, body, 400)
    assert "必须是" in refusal_message(route, body, 400, "zh")


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "large"},
        {"model": "../afqmc/tiny"},
        {"model": "\ud800"},
        {"task": "imdb", "model": "other"},
        {"task": "../x"},
    ],
)
def test_unknown_models_are_refused(route, changed):
    assert refusal_message(route, REQUEST | changed, 404) == "There is no such model for this task."


@pytest.mark.parametrize(
    ("texts", "english", "chinese"),
    [
        (["花呗"], "compares two sentences", "句子"),
        (["花呗", " "], "Sentence B is empty", "句子 B 是空的"),
        (["花呗", "\ud800"], "half of a character", "字符"),
    ],
)
def test_invalid_texts_are_refused_with_a_reason(route, texts, english, chinese):
    request = REQUEST | {"texts": texts}
    assert english in refusal_message(route, request, 422)
    assert chinese in refusal_message(route, request | {"language": "zh"}, 422, "zh-CN,zh;q=0.9,en;q=0.8")


def test_the_message_names_a_damaged_model(route, checkpoints_dir):
    shutil.rmtree(checkpoints_dir / "imdb")
    (checkpoints_dir / "afqmc/tiny/model.safetensors").write_bytes(b"not weights")
    assert "afqmc/tiny" in refusal_message(route, REQUEST, 422)


def test_a_request_that_is_too_long_is_refused(route):
    assert str(TYPING.body_bytes) in refusal_message(route, b" " * (TYPING.body_bytes + 1), 413)
