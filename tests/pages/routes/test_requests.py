"""What all routes beside the pages refuse alike, with a sentence in the language of the browser."""

from __future__ import annotations

import shutil

import pytest

from pages.routes import requests
from pages.routes.heads import heads
from pages.routes.interventions import interventions
from tests.pages.routes import asking
from tests.pages.routes.asking import refused

ASKED = asking.ASKED | {"heads": [[1, 0]]}  # which the route of the interventions passes over

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.parametrize("route", [heads, interventions])]


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
        ASKED | {"task": 1},
        ASKED | {"model": None},
        ASKED | {"texts": "花呗"},
        ASKED | {"texts": []},
        ASKED | {"texts": ["花"] * 3},
        ASKED | {"texts": ["a", 1]},
        ASKED | {"texts": [None, "a"]},
    ],
)
def test_what_is_no_request(route, body):
    assert "must be a JSON object" in refused(route, body, 400)
    assert "必须是" in refused(route, body, 400, "zh")


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
def test_models_that_are_not_there(route, changed):
    assert refused(route, ASKED | changed, 404) == "There is no such model for this task."


@pytest.mark.parametrize(
    ("texts", "english", "chinese"),
    [
        (["花呗"], "compares two sentences", "句子"),
        (["花呗", " "], "Sentence 2 is empty", "第 2 句"),
        (["花呗", "\ud800"], "half of a character", "字符"),
    ],
)
def test_texts_that_cannot_be_read_get_their_sentence(route, texts, english, chinese):
    assert english in refused(route, ASKED | {"texts": texts}, 422)
    assert chinese in refused(route, ASKED | {"texts": texts}, 422, "zh-CN,zh;q=0.9,en;q=0.8")


def test_a_model_that_is_damaged_is_named(route, checkpoints_dir):
    shutil.rmtree(checkpoints_dir / "imdb")
    (checkpoints_dir / "afqmc/tiny/model.safetensors").write_bytes(b"not weights")
    assert "afqmc/tiny" in refused(route, ASKED, 422)


def test_a_request_without_end_is_cut_off(route):
    assert str(requests.MAX_BYTES) in refused(route, b" " * (requests.MAX_BYTES + 1), 413)
