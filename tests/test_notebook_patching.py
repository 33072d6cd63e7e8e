"""`show_patching` in a notebook."""

import numpy as np
import pytest

from tests.tiny import save_checkpoint
from tests.tiny_translation import SOURCE, translation_checkpoint
from tests.words import english
from viz_core import checkpoints, show_patching
from viz_core.analysis.patching.contrast import contrast
from viz_core.analysis.patching.patch import patch_all
from viz_core.analysis.patching.paths import trace_paths

OTHER = "我们昨天去学校。"
TEXTS = "a good film", "a bad film"


@pytest.fixture
def found(tmp_path, monkeypatch):
    """The model, and both texts."""
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_checkpoint(tmp_path, "imdb")
    model = checkpoints.load("imdb", "tiny")
    return model, contrast(model, *map(model.text_encoder.encode, TEXTS))


def test_the_table_has_the_effects(found, tmp_path):
    shown = show_patching("imdb/tiny", *TEXTS, site="heads", language="en")
    np.testing.assert_allclose(shown.table, patch_all(*found, ["heads"]).effects["heads"])
    assert shown._repr_html_().startswith("<iframe") and english("patching.title_heads") in shown.document
    shown.save(str(tmp_path / "patching.html"))
    assert (tmp_path / "patching.html").read_text("utf-8") == shown.document


def test_of_a_sender_the_paths(found):
    shown = show_patching(found[0], *TEXTS, sender="1.2", language="zh")
    effects = trace_paths(*found, (0, 1)).effects
    assert shown.table["head"].tolist()[:2] == ["2.1", "2.2"] and set(shown.table.index) == {"1.2"}
    np.testing.assert_allclose(shown.table["effect"], effects[np.isfinite(effects)])


@pytest.mark.parametrize(
    "texts, settings",
    [
        (("a",), {}),
        (("a", 1), {}),
        (("a", "a"), {}),
        (TEXTS, {"sender": "1"}),
        (TEXTS, {"sender": "9.1"}),
        (TEXTS, {"sender": "2.1"}),
        (("a", ("a", "b")), {}),
        (TEXTS, {"site": "paths"}),
        (TEXTS, {"site": "cross"}),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(found, texts, settings):
    with pytest.raises(ValueError, match=r"\.$"):
        show_patching("imdb/tiny", *texts, language="en", **settings)


def test_of_a_translation_the_encoder_or_the_cross_attention(tmp_path):
    model = translation_checkpoint()
    encoder, cross = (show_patching(model, OTHER, SOURCE, site=site, language="en") for site in ("heads", "cross"))
    assert encoder.table.shape == cross.table.shape and not np.allclose(encoder.table, cross.table)
    assert english("patching.title_heads") in encoder.document and english("patching.title_cross") in cross.document
