"""Requests that every route refuses, with a message in the language of the browser."""

import shutil

import pytest

from pages.routes.budget import TYPING
from pages.routes.explain import explain
from pages.routes.heads import heads
from pages.routes.whatif import whatif
from tests.pages.routes import route_requests
from tests.pages.routes.route_requests import refusal_message
from tests.words import chinese, english, says

REQUEST = route_requests.REQUEST | {"heads": [[1, 0]], "language": "en"}  # each route ignores the others' fields

TOPICS = {explain: "instrument", heads: "pages", whatif: "whatif"}

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
    key = f"{TOPICS[route]}.request_unreadable"
    assert refusal_message(route, body, 400) == english(key)
    assert refusal_message(route, body, 400, "zh") == chinese(key)


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
    assert refusal_message(route, REQUEST | changed, 404) == english("pages.request_unknown_model")


@pytest.mark.parametrize(
    ("texts", "key"),
    [(["花呗"], "analysis.needs_pair"), (["花呗", " "], "text.blank"), (["花呗", "\ud800"], "text.not_unicode")],
)
def test_invalid_texts_are_refused_with_a_reason(route, texts, key):
    request = REQUEST | {"texts": texts}
    assert says(refusal_message(route, request, 422), key)
    chinese_request = request | {"language": "zh"}
    assert says(refusal_message(route, chinese_request, 422, "zh-CN,zh;q=0.9,en;q=0.8"), key, "zh")


def test_the_message_names_a_damaged_model(route, checkpoints_dir):
    shutil.rmtree(checkpoints_dir / "imdb")
    (checkpoints_dir / "afqmc/tiny/model.safetensors").write_bytes(b"not weights")
    assert "afqmc/tiny" in refusal_message(route, REQUEST, 422)


def test_a_request_that_is_too_long_is_refused(route):
    assert str(TYPING.body_bytes) in refusal_message(route, b" " * (TYPING.body_bytes + 1), 413)
