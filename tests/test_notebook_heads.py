"""`show_heads` in a notebook."""

import re
import zlib
from base64 import b64decode

import pytest

from tests.adapters.tiny_networks import network, wordpiece
from tests.pages.app import header
from tests.words import english
from viz_core import show, show_heads
from viz_core.evidence import heads, surveyed
from viz_core.evidence.head_names import HeadName, save_names
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result
from viz_core.jobs.run_folder import folder


@pytest.fixture
def survey(sample_models):
    compute_evidence(heads.NAME, "afqmc", "tiny", lambda *step: None)
    (stored,) = heads.read(read_result(sample_models["afqmc"], heads.NAME))
    return stored


def test_the_atlas_of_a_stored_survey(survey, tmp_path):
    atlas = show_heads("afqmc/tiny", language="en", x="self", colour="sep")
    assert list(atlas.table.index) == ["1.1", "1.2", "2.1", "2.2"]
    assert atlas.table["same"].tolist() == survey.statistics["same"].mean.ravel().tolist()
    assert repr(atlas) == "\n".join(atlas.sentences) and atlas.sentences
    shown = header(b64decode(re.search(r'id="atlas-data">([^<]*)<', atlas.document)[1]))
    assert shown["link"] == {"x": "self", "y": "entropy", "colour": "sep"}
    assert [line["text"] for line in shown["found"]] == list(atlas.sentences)
    assert atlas._repr_html_().startswith("<iframe")
    atlas.save(str(tmp_path / "atlas.html"))
    assert (tmp_path / "atlas.html").read_text(encoding="utf-8") == atlas.document


def test_heads_have_the_names_that_people_gave_them(survey):
    save_names(folder(), "afqmc/tiny", {"self 2.1": HeadName("aligner", "and a note")})
    atlas, explorer = (
        b64decode(re.search(r'-data">([^<]*)<', shown.document)[1])
        for shown in (show_heads("afqmc/tiny"), show("afqmc/tiny", "花呗", "借呗"))
    )
    assert header(atlas)["names"] == header(zlib.decompress(explorer))["names"] == {"self 2.1": "aligner"}


def test_a_model_of_transformers_is_surveyed_on_texts_of_ours(monkeypatch):
    monkeypatch.setattr(surveyed, "own_texts", lambda checkpoint: [("the cat sat", "the cat lay")] * 2)
    atlas = show_heads(network("bert", "Model"), wordpiece(), language="en")
    assert len(atlas.table) == 12


@pytest.mark.parametrize("model", ["imdb/tiny", "imdb/none"])
def test_what_is_missing_is_a_sentence(checkpoints_dir, model):
    with pytest.raises(ValueError) as error:
        show_heads(model, language="en")
    if model == "imdb/tiny":
        assert str(error.value) == english("heads.not_surveyed", task="imdb", model="tiny")
    with pytest.raises(ValueError):
        show_heads(network("bert", "Model"))
