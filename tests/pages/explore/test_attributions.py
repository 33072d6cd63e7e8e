"""The attribution section on untrained checkpoints: charts, explanations, and a cache for all visitors."""

import pytest

from pages.shared import attribution_parts
from tests.pages.app import open_page, page_text
from tests.words import says
from viz_core.analysis.attribution.methods import METHODS
from viz_core.evidence import faithfulness
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.results import six_digits, write_result
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


def charts(app) -> set[str]:
    return {button.key.removeprefix("html_") for button in app.get("download_button") if button.key.startswith("html_")}


@pytest.mark.parametrize(
    ("page", "language"),
    [
        ("sentiment", "en"),
        ("matching", "zh"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("sentiment", "zh"), ("matching", "en"))),
    ],
)
def test_the_section_is_drawn_and_every_method_is_explained(page, language):
    app, say = open_page(page, lang=language, evidence="methods"), Translator(language)
    assert {"attributions", "agreement_input", "faithfulness_input"} <= charts(app) and not app.error
    assert all(say(f"attribution.{method}_shows") in page_text(app) for method in METHODS)
    assert "arxiv.org" in page_text(app) and say("faithfulness.missing") in page_text(app)
    assert set(attribution_parts.PAPERS) == set(METHODS)


def test_the_same_text_is_computed_once_for_all_visitors(monkeypatch):
    calls = []
    monkeypatch.setattr(
        attribution_parts,
        "attributions",
        lambda *arguments, original=attribution_parts.attributions: (calls.append(arguments), original(*arguments))[1],
    )
    open_page("sentiment", evidence="methods")
    open_page("sentiment", evidence="methods", lang="zh")
    assert len(calls) == 1


def test_saved_validation_evidence_is_drawn(checkpoints_dir, monkeypatch):
    monkeypatch.setattr(faithfulness, "INPUTS", 3)
    folder = checkpoints_dir / "imdb" / "tiny"
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    result = faithfulness.compute(load_evidence_input("imdb", "tiny"), lambda done, total: None)
    write_result(folder, "faithfulness", {"data": "sample", **six_digits(result)})
    app = open_page("sentiment", evidence="methods")
    assert {"agreement_validation", "faithfulness_validation"} <= charts(app)
    assert says(page_text(app), "attribution.validation_sample") and Translator("en")(
        "faithfulness.missing"
    ) not in page_text(app)
