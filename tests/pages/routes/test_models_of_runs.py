"""Requests that name the model of a run: the same numbers as from its checkpoint, for everybody, while it exists."""

import gzip
import json

import numpy as np
import pytest

from pages.routes.explain import explain
from pages.routes.heads import heads
from pages.routes.whatif import whatif
from tests.pages.fake_runs import make_run
from tests.pages.routes.route_requests import post, refusal_message
from tests.words import english
from viz_core import checkpoints
from viz_core.analysis.explain import explain as analyse
from viz_core.jobs import runs as jobs

pytestmark = [pytest.mark.usefixtures("runs_dir"), pytest.mark.process]
TEXTS = ["not a good film"]


def request(model: str, **fields) -> dict:
    return {"task": "imdb", "model": model, "texts": TEXTS, "language": "en", **fields}


def test_the_model_of_a_run_is_explained_with_its_own_weights():
    run = make_run(name="mine", owner="f" * 32)
    model = analyse(checkpoints.load_folder(run.path / "checkpoints/20", "imdb"), *TEXTS)
    shipped = analyse(checkpoints.load("imdb", "tiny"), *TEXTS)
    assert not np.allclose(model.attention, shipped.attention)
    packed = gzip.decompress(post(explain, request(f"runs/{run.id}")).body)
    header = json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])
    np.testing.assert_allclose(header["prediction"]["probabilities"], model.probabilities, atol=1e-6)
    assert (header["model"], header["modelName"]) == (f"runs/{run.id}", english("pages.model_of_run", name="mine"))
    assert header["request"]["body"]["model"] == f"runs/{run.id}"
    high, low = np.frombuffer(post(heads, request(f"runs/{run.id}", heads=[[1, 0]])).body, np.uint8).reshape(2, -1)
    np.testing.assert_allclose((high * 256.0 + low) / 65535, model.attention[1, 0].ravel(), atol=2e-5)
    original = json.loads(post(whatif, request(f"runs/{run.id}")).body)["original"]
    np.testing.assert_allclose(original, model.probabilities, atol=1e-6)


@pytest.mark.parametrize("name", ["runs/", "runs/nobody", "runs/../tiny", "runs/a\0b", "runs/\ud800", "runs"])
@pytest.mark.parametrize("route", [explain, heads, whatif])
def test_a_run_that_does_not_exist_is_refused(route, name):
    message = refusal_message(route, request(name, heads=[[0, 0]]), 404)
    assert message == english("pages.request_unknown_model")


def test_a_deleted_run_and_one_without_a_checkpoint_are_refused():
    run, new = make_run(), make_run("queued", evaluations=0)
    jobs.delete(run.id)
    for name in (run.id, new.id):
        assert refusal_message(explain, request(f"runs/{name}"), 404) == english("pages.request_unknown_model")
