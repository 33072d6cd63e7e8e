"""Any JSON in any place of a checkpoint folder: that model loads or is refused in words, every other one is usable."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sampling import few
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import CONFIG, METRICS, TOKENIZER
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure

NUMBERS = st.sampled_from([0, -1, 2, 10**9, 1e308, float("nan"), float("-inf"), 10**400, True])
JSON = st.recursive(
    st.none() | st.text(max_size=5) | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture
def folder(checkpoints_dir):
    """The folder of a model beside a good one, `imdb/tiny`."""
    return save_checkpoint(checkpoints_dir, "imdb", "other")


def places(value: object, path: tuple = ()) -> list[tuple]:
    """The path of every value in a JSON document, its root first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in inner for place in places(child, (*path, key)))]


def replace_at(document: object, path: tuple, value: object) -> object:
    """The document with another value at a path."""
    if not path:
        return value
    first, *rest = path
    copy = document.copy()
    copy[first] = replace_at(document[first], tuple(rest), value)
    return copy


@pytest.mark.parametrize("file", few([CONFIG, METRICS, TOKENIZER]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(data=st.data())
def test_any_json_in_a_file_of_a_model_leaves_every_other_model_usable(folder, file, data):
    original = (folder / file).read_text("utf-8")
    document = json.loads(original)
    path = data.draw(st.sampled_from(places(document)))
    try:
        (folder / file).write_text(json.dumps(replace_at(document, path, data.draw(JSON))), "utf-8")
        infos, failures = checkpoints.list_checkpoints()
        assert "tiny" in {info.name for info in infos if info.task == "imdb"}
        for failure in failures:
            assert all(Translator(language)(failure.message) for language in LANGUAGES)
        assert explain(checkpoints.load("imdb", "tiny"), "a good film").probabilities.shape == (2,)
        explain(checkpoints.load("imdb", "other"), "a good film")
    except Failure as failure:
        assert all(Translator(language)(failure.message) for language in LANGUAGES)
        assert explain(checkpoints.load("imdb", "tiny"), "a good film").probabilities.shape == (2,)
    finally:
        (folder / file).write_text(original, "utf-8")
