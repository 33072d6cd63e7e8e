"""Patching between two sentences, below the translation."""

from base64 import b64decode

import numpy as np
import pytest

from tests.pages.app import link_parameters, open_page
from tests.pages.explore.test_patching import chart
from tests.tiny_translation import SOURCE, save_translation
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.explain import encode
from viz_core.analysis.patching.next_word import contrast_of
from viz_core.analysis.patching.patch import patch_all

OTHER = "我们昨天去学校。"


def open_section(**parameters):
    return open_page("translation", text=SOURCE, source_text=OTHER, evidence="patching", **parameters)


@pytest.mark.parametrize(("site", "kind"), [("heads", "self"), ("cross", "cross")])
def test_the_map_is_that_of_the_sentences(checkpoints_dir, site, kind):
    save_translation(checkpoints_dir)
    app = open_section(site=site)
    model = checkpoints.load("tatoeba", "tiny")
    found = contrast_of(model, encode(model, OTHER), encode(model, SOURCE), kind)
    figure = chart(app)
    assert says(figure.layout.title.text, f"patching.title_{site}")
    (heat,) = [trace for trace in figure.data if trace.type == "heatmap"]
    drawn = np.frombuffer(b64decode(heat.z["bdata"]), heat.z["dtype"])
    np.testing.assert_allclose(drawn, patch_all(*found, ["heads"]).effects["heads"].ravel(), atol=1e-6)
    assert any(says(text.value, "patching.turned") for text in app.markdown)
    assert link_parameters(app).items() >= {"site": site, "evidence": "patching"}.items() and not app.exception
    assert any(says(text.value, "patching.agreement") for text in app.caption)


def test_what_takes_long_is_estimated_until_it_is_asked_for(checkpoints_dir, monkeypatch):
    save_translation(checkpoints_dir)
    monkeypatch.setattr("pages.shared.patching_runs.QUICK", 0)
    app = open_section(site="cross")
    assert says(chart(app).layout.title.subtitle.text, "patching.scale_estimated")
    (button,) = [button for button in app.button if says(button.label, "patching.exact")]
    assert says(chart(button.click().run()).layout.title.subtitle.text, "patching.scale")


def test_equal_sentences_are_refused_in_a_sentence(checkpoints_dir):
    save_translation(checkpoints_dir)
    app = open_page("translation", text=SOURCE, source_text=SOURCE, evidence="patching")
    assert any(says(info.value, "patching.same_texts") for info in app.info)


def test_closed_it_computes_nothing(checkpoints_dir, monkeypatch):
    save_translation(checkpoints_dir)
    monkeypatch.setattr("pages.shared.translation_evidence.SECTIONS", None)
    assert not open_page("translation", text=SOURCE).exception
