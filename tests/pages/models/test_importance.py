"""Head importance on the models page: a head is selected, its inputs are listed and open in the explorer."""

import pytest

from tests.pages.app import explorer, link_parameters, open_page, page_text
from tests.words import says
from viz_core.evidence import importance
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result
from viz_core.language import Translator

pytestmark = pytest.mark.usefixtures("checkpoints_dir")


@pytest.fixture
def importance_of_heads(checkpoints_dir):
    """The saved head importance of `afqmc/tiny`, which is marked as trained on the sample."""
    folder = checkpoints_dir / "afqmc" / "tiny"
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None)
    return importance.read(read_result(folder, importance.NAME))


def test_without_evidence_the_page_offers_to_compute_it():
    assert Translator("en")("importance.missing") in page_text(open_page("models", task="afqmc"))


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
def test_the_most_important_head_comes_first(importance_of_heads, language):
    app = open_page("models", task="afqmc", lang=language)
    layer, head = importance_of_heads.heads.most_important
    assert app.selectbox(key="ablated").value == f"{layer + 1}.{head + 1}"
    assert says(page_text(app), "importance.helped", language, head=f"{layer + 1}.{head + 1}")
    assert "ablated" not in link_parameters(app) and "measure" not in link_parameters(app)


def test_a_link_opens_the_same_head_and_measure(importance_of_heads):
    app = open_page("models", task="afqmc", ablated="1.2", measure="taylor")
    assert app.selectbox(key="ablated").value == "1.2" and says(page_text(app), "importance.about_taylor")
    app.selectbox(key="ablated").set_value("2.2").run()
    assert link_parameters(app)["ablated"] == "2.2" and says(page_text(app), "importance.helped", head="2.2")
    assert open_page("models", task="afqmc", ablated="7.1", measure="x").selectbox(key="ablated").value != "7.1"


def test_an_input_opens_in_the_explorer_with_the_head_selected(importance_of_heads):
    from viz_core.tasks import get_task

    app = open_page("models", task="afqmc", ablated="1.2")
    app.button(key="importance_helped_0").click().run()
    row = get_task("afqmc").read("validation", "sample").loc[importance_of_heads.helped[0, 1][0].row]
    assert not app.exception and explorer(app)["instrument"]["texts"] == [row["text"], row["text_b"]]
    assert explorer(app)["selection"]["head"] == "1.2" and link_parameters(app)["head"] == "1.2"


def test_without_the_corpus_its_rows_are_hidden_and_a_download_is_offered(importance_of_heads, checkpoints_dir):
    import json

    file = checkpoints_dir / "afqmc" / "tiny" / "evidence" / "importance.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"data": "full"}), encoding="utf-8")
    app = open_page("models", task="afqmc", ablated="1.2")
    assert says(page_text(app), "importance.no_corpus") and app.button(key="download_corpus")
    assert not any(says(page_text(app), f"importance.{key}") for key in ("row", "rows"))
    assert link_parameters(app)["ablated"] == "1.2", "the head that is framed in the map"
