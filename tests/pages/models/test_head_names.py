"""Names that a teacher, or whoever is alone, gives to heads: all visitors see them, others cannot change them."""

import json

import pytest

from pages.shared.wording import escape_markdown
from tests.pages.app import explorer, header, open_page, page_text
from tests.pages.models.test_heads import atlas
from viz_core.evidence import heads, importance
from viz_core.evidence.head_names import HeadName, read_names, save_names
from viz_core.evidence.job import compute_evidence
from viz_core.language import Translator

ENGLISH = Translator("en")
COMPONENTS = (("matching", "whatif", {"evidence": "whatif"}), ("inside", "inside", {}))
MODEL, FIELDS = "afqmc/tiny", ("head_name_self_2.1_", "head_note_self_2.1_")


@pytest.fixture(autouse=True)
def folder(runs_dir, checkpoints_dir):
    (checkpoints_dir / "afqmc" / "tiny" / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    compute_evidence(heads.NAME, "afqmc", "tiny", lambda *step: None)
    return runs_dir


def open_head(**link):
    return open_page("head", task="afqmc", head="2.1", **link)


def test_whoever_is_alone_names_a_head_and_all_see_it(folder, monkeypatch):
    monkeypatch.setenv("VIZ_ALONE", "1")
    app = open_head()
    for key, text in zip(FIELDS, ("*aligner*", "see <b>row 3</b>"), strict=True):
        field = app.text_input if "name_self" in key else app.text_area
        field(key=key).set_value(text)
    save = next(button for button in app.button if button.label == ENGLISH("heads.save_name"))
    save.click().run()
    assert not app.exception
    assert read_names(folder, MODEL) == {"self 2.1": HeadName("*aligner*", "see <b>row 3</b>")}
    monkeypatch.delenv("VIZ_ALONE")
    app = open_head()
    boxes = " ".join(box.value for box in app.info)
    assert r"\*aligner\*" in boxes and "<b>" not in boxes.replace(r"\<b", "")
    assert "2.1 · *aligner*" in app.selectbox(key="head").options
    assert header(atlas(open_page("models", task="afqmc")).bytes)["names"] == {"self 2.1": "*aligner*"}
    assert explorer(open_page("matching"))["names"] == {"self 2.1": "*aligner*"}


@pytest.mark.parametrize(
    "page, link, key",
    [
        ("matching", {"evidence": "pairs"}, "pairs_head"),
        ("matching", {"evidence": "patching", "site": "paths"}, "sender"),
        ("models", {}, "ablated"),
        ("evaluation", {"part": "compare", "was_text_a": "花呗怎么还款", "now_text_a": "借呗怎么还款"}, "moved"),
        ("inside", {"inside": "plane", "head": "2.1"}, "plane_head"),
    ],
)
def test_wherever_a_head_is_chosen_it_has_its_name(folder, page, link, key):
    compute_evidence(importance.NAME, "afqmc", "tiny", lambda *step: None)
    save_names(folder, MODEL, {"self 2.1": HeadName("<b>*aligner*</b>"), "cross 2.1": HeadName("of another attention")})
    app = open_page(page, task="afqmc", **link)
    options = app.selectbox(key=key).options
    assert [option.partition(" · ")[2] for option in options if " · " in option] == ["<b>*aligner*</b>"]
    assert "<b>" not in page_text(app).replace(r"\<b", "")


def test_components_get_the_names(folder):
    save_names(folder, MODEL, {"self 2.1": HeadName("aligner")})
    data = {name: component(open_page(page, task="afqmc", **link), name) for page, name, link in COMPONENTS}
    assert {name: values["names"] for name, values in data.items()} == dict.fromkeys(data, {"self 2.1": "aligner"})


def component(app, name: str) -> dict:
    """The header of what a component is opened with."""
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == name)
    return json.loads(proto.json) if proto.json else header(proto.bytes)


def test_others_see_no_form(folder):
    save_names(folder, MODEL, {"self 2.1": HeadName("aligner")})
    app = open_head()
    assert ENGLISH("heads.save_name") not in [button.label for button in app.button]
    assert not [box for box in app.text_input if box.key.startswith(FIELDS[0])]


def test_a_name_belongs_to_its_model_and_attention(folder):
    save_names(folder, "imdb/tiny", {"self 2.1": HeadName("other")})
    save_names(folder, MODEL, {"cross 2.1": HeadName("crossed")})
    app = open_head()
    assert "2.1" in app.selectbox(key="head").options and "aligner" not in page_text(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_names_can_be_exported_where_there_are_some(folder, monkeypatch, language):
    say = Translator(language)
    monkeypatch.setenv("VIZ_ALONE", "1")
    assert say("heads.export_names") not in downloads(open_head(lang=language))
    save_names(folder, MODEL, {"self 2.1": HeadName("aligner", "note")})
    app = open_head(lang=language)
    assert say("heads.export_names") in downloads(app)
    assert "aligner" in [box.value for box in app.text_input], "the box shows what is stored"
    assert escape_markdown(say("heads.named", name="aligner", note="note")) in [box.value for box in app.info]


def downloads(app) -> list[str]:
    return [button.label for button in app.get("download_button")]
