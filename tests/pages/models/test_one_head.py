"""The page of the models for an encoder with a single head, as a BiLSTM with additive attention has it."""

import pytest

from tests.pages.app import open_page
from tests.tiny import encoder, text_encoder
from viz_core import checkpoints
from viz_core.checkpoints import Settings
from viz_core.evidence import health
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.results import write_result


@pytest.mark.parametrize("layers, drawn", [(1, False), (2, True)])
def test_a_single_head_has_no_other_to_be_redundant_with(checkpoints_dir, layers, drawn):
    text, folder = text_encoder("imdb"), checkpoints_dir / "imdb" / "tiny"
    model = encoder(vocabulary=text.vocabulary, max_tokens=text.max_tokens, layers=layers, heads=1)
    checkpoints.save(folder, Settings("imdb", model.config), model, text, {"task": "imdb", "data": "sample"})
    write_result(folder, health.NAME, health.compute(load_evidence_input("imdb", "tiny"), lambda done, total: None))
    app = open_page("models", rank_by="")
    keys = {button.key for button in app.get("download_button")}
    assert "html_head_profile" in keys and ("html_redundancy" in keys) == drawn
