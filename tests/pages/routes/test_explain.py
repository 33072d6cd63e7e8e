"""The route that explains a text while it is typed: what it returns, and whom it refuses."""

import gzip
import json
from functools import partial

import numpy as np
import pytest

from pages.routes.explain import explain
from tests.pages.routes import route_requests
from tests.words import english, says
from viz_core import checkpoints
from viz_core.analysis.explain import explain as analyse
from viz_core.explorer.packed_weights import fixed_point
from viz_core.language import Translator

REQUEST = route_requests.REQUEST | {"language": "en"}
post, refusal_message = partial(route_requests.post, explain), partial(route_requests.refusal_message, explain)

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def respond(**changed) -> tuple[dict, np.ndarray]:
    """The header, and the exact weights of the heads sent, as steps `(n, T, T)`."""
    response = post(REQUEST | changed)
    assert (response.status_code, response.media_type) == (200, "application/octet-stream")
    assert (response.headers["content-encoding"], response.headers["cache-control"]) == ("gzip", "no-store")
    data = gzip.decompress(response.body)
    length = int.from_bytes(data[:4], "little")
    header, tokens = json.loads(data[4 : 4 + length]), 0
    tokens = header["tokens"]
    planes = np.frombuffer(data[len(data) - len(header["sent"]) * tokens**2 * 2 :], np.uint8)
    high, low = planes.reshape(-1, 2, tokens, tokens).astype(int).swapaxes(0, 1)
    return header, high * 256 + low


def test_prediction_and_weights_are_those_of_the_model():
    model = analyse(checkpoints.load("afqmc", "tiny"), *REQUEST["texts"])
    header, heads = respond()
    np.testing.assert_allclose(header["prediction"]["probabilities"], model.probabilities, atol=1e-6)
    assert header["prediction"]["predicted"] == model.predicted
    assert header["prediction"]["threshold"] == model.threshold == 0.4
    for (layer, head), steps in zip(header["sent"], heads, strict=True):
        np.testing.assert_array_equal(steps, fixed_point(model.attention[layer, head]))
    assert header["sent"] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert ["".join(string for string, _ in pieces) for pieces in header["texts"]] == REQUEST["texts"]


def test_further_heads_are_fetched_with_the_same_texts():
    header, _ = respond()
    assert header["request"] == {
        "url": "explorer/heads",
        "body": {"task": "afqmc", "model": "tiny", "texts": REQUEST["texts"]},
    }


@pytest.mark.parametrize(("head", "sent"), [("1.2", [[0, 1]]), ("2.*", [[1, 0], [1, 1]]), ("9.9", [[1, 0]])])
def test_of_a_longer_input_the_selected_heads_are_sent(monkeypatch, head, sent):
    """2 heads of 14 tokens are 784 bytes, 4 are 1568. Of a head that does not exist: the head that is shown first."""
    monkeypatch.setattr("viz_core.explorer.packing.SMALL_UPDATE", 800)
    header, _ = respond(selection={"head": head, "unit": "token", "scale": "cubic"})
    assert (header["sent"], header["thumbnails"]) == (sent, True)
    assert (header["selection"]["unit"], header["selection"]["scale"]) == ("token", "linear")


def test_words_are_in_the_language_of_the_request_not_of_the_browser():
    for language, other in (("en", "zh"), ("zh", "en")):
        labels = [Translator(language)(f"rendering.label_{label}") for label in ("different", "same")]
        assert respond(language=language)[0]["prediction"]["labels"] == labels
        empty = REQUEST | {"texts": ["花呗", " "], "language": language}
        assert says(refusal_message(empty, 422, other), "text.blank", language)


def test_theme_and_messages_are_not_sent_again():
    assert not {"theme", "language", "catalogue"} & respond()[0].keys()


@pytest.mark.parametrize(
    "changed", [{"language": "fr"}, {"language": None}, {"selection": []}, {"selection": "1.1"}, {"selection": None}]
)
def test_invalid_fields_are_refused(changed):
    assert refusal_message(REQUEST | changed, 400) == english("instrument.request_unreadable")


def test_mistyped_selections_are_ignored():
    mistyped = {"head": None, "query": -1, "unit": [], "views": "<b>"}
    assert respond(selection=mistyped)[0]["selection"] == respond()[0]["selection"]


def test_nothing_is_remembered_of_other_visitors():
    """The same request gives the same bytes, whatever others asked in between."""
    first = post(REQUEST).body
    post(REQUEST | {"texts": ["借呗", "花呗"], "language": "zh", "selection": {"head": "1.1", "query": "2"}})
    assert post(REQUEST).body == first


def test_a_model_that_is_gone_is_refused_and_found_again(checkpoints_dir):
    folder, away = checkpoints_dir / "afqmc/tiny", checkpoints_dir.parent / "away"
    folder.rename(away)
    assert refusal_message(REQUEST, 404) == english("pages.request_unknown_model")
    away.rename(folder)
    assert respond()[0]["model"] == "tiny"
