"""The heads of models from elsewhere on the page of the models."""

import pytest

from pages.models import elsewhere
from pages.shared import other_models
from pages.shared.other_models import open_model, opened_checkpoint
from pages.shared.wording import escape_markdown
from tests.adapters.test_opening import save_model
from tests.pages.app import open_page, page_text
from viz_core.analysis.verdicts.heads import head_patterns
from viz_core.language import Translator

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.process]  # a trial of the tokenizer
HEADING = Translator("en")("sentence_profile.heads")


@pytest.fixture(autouse=True)
def nothing_open(monkeypatch):
    monkeypatch.setattr(other_models, "_models", {})


def test_heads_are_described_once_a_model_is_open(tmp_path, monkeypatch):
    assert HEADING not in [header.value for header in open_page("models").header]
    monkeypatch.setattr(elsewhere, "sentence_pairs", lambda language: (("the cat sat", "the cat lay"),) * 4)
    open_model(f"path:{save_model(tmp_path / 'base', kind='Model')}")
    app = open_page("models")
    assert not app.exception and HEADING in [header.value for header in app.header]
    assert app.selectbox(key="other_model").value == "base"
    language, profile = elsewhere._profile(opened_checkpoint("base"))
    assert language == "en" and profile.rows == 4 and profile.statistics["same"].shape == (3, 4)
    patterns = [Translator("en")(pattern) for pattern in head_patterns(profile)]
    text = page_text(app)
    assert all(escape_markdown(pattern) in text for pattern in patterns)
    for criterion in ("same", "punctuation"):  # the latter none of these sentences has
        assert not app.selectbox(key="other_rank_by").set_value(criterion).run().exception
    assert elsewhere._profile(opened_checkpoint("base"))[1] is profile, "computed once"
