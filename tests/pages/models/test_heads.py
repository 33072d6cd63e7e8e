"""The atlas on the page of the models, and the page of a head."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pages.head.passages import ALL
from pages.shared import other_models, surveys
from pages.shared.other_models import open_model
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_translators import save_translator
from tests.pages.app import explorer, header, link_parameters, open_page, page_text, report, switch, trigger
from tests.pages.fake_runs import OWNER
from tests.tiny_translation import save_translation
from tests.words import says
from viz_core.evidence import heads, importance, surveyed
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.requests import STATE, request_evidence
from viz_core.evidence.results import read_result
from viz_core.jobs.runs import list_runs
from viz_core.jobs.state import read_status, write_status
from viz_core.language import LANGUAGES, Translator
from viz_core.tasks import get_task

ENGLISH = Translator("en")


def atlas(app):
    """The protocol message of the component."""
    (proto,) = (element.proto for element in app.get("bidi_component") if element.proto.component_name == "atlas")
    return proto


def passages(app) -> list[dict]:
    """What the component of the passages shows."""
    (proto,) = _passages(app) or (None,)
    return json.loads(proto.json)["passages"] if proto else []


def _passages(app) -> list:
    return [element.proto for element in app.get("bidi_component") if element.proto.component_name == "passages"]


def compute(folder, task: str, *names: str) -> None:
    (folder / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
    for name in names:
        compute_evidence(name, task, "tiny", lambda *step: None)


@pytest.fixture
def stored(checkpoints_dir):
    """The stored survey of `afqmc/tiny`."""
    folder = checkpoints_dir / "afqmc" / "tiny"
    compute(folder, "afqmc", heads.NAME)
    (survey,) = heads.read(read_result(folder, heads.NAME))
    return survey


@pytest.mark.usefixtures("checkpoints_dir")
class TestAtlas:
    def test_without_evidence_the_page_offers_to_compute_it(self):
        assert ENGLISH("heads.missing") in page_text(open_page("models", task="afqmc"))

    def test_a_survey_that_was_stopped_is_resumed_where_it_was(self, checkpoints_dir, runs_dir, as_other):
        (checkpoints_dir / "afqmc" / "tiny" / "metrics.json").write_text('{"data": "sample"}', encoding="utf-8")
        run = request_evidence(heads.NAME, "afqmc", "tiny", OWNER)
        write_status(run.path, replace(read_status(run.path), state="stopped", step=12, total=48))
        (run.path / STATE).touch()
        button = open_page("models", task="afqmc").button(key=f"pass_ask_{heads.NAME}")
        assert button.label == ENGLISH("evidence.go_on", share=0.25)
        button.click().run()
        assert [(again.id, again.status.state) for again in list_runs()] == [(run.id, "queued")]
        write_status(run.path, replace(read_status(run.path), state="stopped"))
        as_other()
        assert open_page("models", task="afqmc").button(key=button.key).label == ENGLISH("heads.ask")

    def test_a_model_without_attention_has_none(self, checkpoints_dir):
        from tests.tiny import save_bag

        save_bag(checkpoints_dir, "bag", 0)
        app = open_page("models", task="imdb", model="bag")
        assert ENGLISH("heads.title") not in [header.value for header in app.header]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_what_it_shows_is_in_the_link(self, stored, language):
        app = open_page("models", task="afqmc", lang=language, atlas_x="distance", atlas_colour="group", atlas_y="<b>")
        say = Translator(language)
        assert say("heads.title") in [header.value for header in app.header]
        assert says(page_text(app), "heads.note_sample", language, n=48)
        assert say("heads.small", n=48) in [box.value for box in app.info], "a corpus of 48 inputs says so"
        assert header(atlas(app).bytes)["link"] == {"x": "distance", "y": "entropy", "colour": "group"}
        trigger(app, atlas(app).id, "link", {"x": "previous", "y": "self", "colour": "nothing"})
        assert not app.exception and link_parameters(app)["atlas_y"] == "self"
        assert not {"atlas_x", "atlas_colour"} & set(link_parameters(app)), "what it shows at first is not in the link"

    def test_the_loss_without_a_head_is_a_statistic_where_it_is_measured(self, stored, checkpoints_dir):
        assert "importance" not in header(atlas(open_page("models", task="afqmc")).bytes)["measures"]
        compute(checkpoints_dir / "afqmc" / "tiny", "afqmc", importance.NAME)
        assert "importance" in header(atlas(open_page("models", task="afqmc")).bytes)["measures"]

    def test_a_head_that_stands_out_opens_its_page(self, stored, checkpoints_dir):
        file = checkpoints_dir / "afqmc" / "tiny" / "evidence" / "heads.json"
        result = json.loads(file.read_text())
        statistic = result["surveys"][0]["statistics"]["previous"]
        statistic["mean"][1][0], statistic["interval"][1][0] = 0.9, [0.88, 0.92]
        file.write_text(json.dumps(result))
        app = open_page("models", task="afqmc")
        (line,) = (found for found in header(atlas(app).bytes)["found"] if "90" in found["text"])
        assert line["heads"] == [2] and ENGLISH("heads.stands_previous") in line["text"]
        app = switch(trigger(app, atlas(app).id, "open", "2.1"), "head").run()
        assert not app.exception and app.title[0].value == ENGLISH("heads.title_of_page")
        assert app.selectbox(key="head").value == "2.1" and link_parameters(app)["head"] == "2.1"
        assert ENGLISH("heads.stands_previous") in page_text(app)

    @pytest.mark.parametrize("head", ["9.9", 3, None, ["1.1"]])
    def test_a_forged_head_opens_nothing(self, stored, head):
        app = open_page("models", task="afqmc")
        trigger(app, atlas(app).id, "open", head)
        assert not app.exception and "head" not in app.session_state

    def test_thumbnails_are_of_what_was_typed(self, stored):
        app = open_page("models", task="afqmc")
        first = header(atlas(app).bytes)["thumbnail"]
        app = open_page("matching", a="猫在睡觉", b="狗在叫")
        app.query_params["task"] = "afqmc"
        shown = header(atlas(switch(app, "models").run()).bytes)["thumbnail"]
        assert "猫" in shown["text"] and "猫" not in first["text"]
        assert shown["grid"] == [shown["tokens"]] * 2 and len(shown["peaks"]) == 4

    def test_a_translation_has_an_atlas_of_each_attention(self, checkpoints_dir):
        compute(save_translation(checkpoints_dir), "tatoeba", heads.NAME)
        app = open_page("models", task="tatoeba", kind="causal")
        assert "induction" in header(atlas(app).bytes)["measures"] and not app.exception
        app.segmented_control(key="kind").set_value("cross").run()
        shown = header(atlas(app).bytes)
        assert not app.exception and "induction" not in shown["measures"] and shown["thumbnail"]


@pytest.mark.process  # a trial of the tokenizer
@pytest.mark.usefixtures("checkpoints_dir")
class TestElsewhere:
    @pytest.fixture(autouse=True)
    def few_texts(self, monkeypatch, tmp_path):
        monkeypatch.setattr(other_models, "_models", {})
        texts = [("the cat sat", "the cat lay"), ("a cat lay", "a cat sat")] * 2
        for module in (surveys, surveyed):
            monkeypatch.setattr(module, "own_texts", lambda checkpoint: texts)
        open_model(f"path:{save_model(tmp_path / 'base', kind='Model')}")

    def test_its_heads_are_surveyed_once_on_texts_of_ours(self, monkeypatch):
        app = open_page("models", task="other")
        assert not app.exception and says(page_text(app), "heads.note_ours", n=4)
        monkeypatch.setattr(surveyed, "survey_heads", None)
        again = open_page("models", task="other")
        assert not again.exception and says(page_text(again), "heads.note_ours", n=4)

    def test_each_head_has_a_page(self):
        app = open_page("head", task="other", model="base", head="3.4", shows="self")
        assert not app.exception and app.selectbox(key="head").value == "3.4"
        assert says(page_text(app), "heads.passages_ours", n=4) and passages(app)


@pytest.mark.process
@pytest.mark.usefixtures("checkpoints_dir")
def test_a_translator_from_elsewhere_has_an_atlas_and_pages_of_heads(monkeypatch, tmp_path):
    monkeypatch.setattr(other_models, "_models", {})
    texts = [("the cat sat", "a cat lay"), ("a cat sat", "the cat lay")]
    for module in (surveys, surveyed):
        monkeypatch.setattr(module, "own_texts", lambda checkpoint: texts)
    open_model(f"path:{save_translator(tmp_path / 't5')}")
    app = open_page("models", task="other_translation", kind="cross")
    shown = header(atlas(app).bytes)
    assert not app.exception and (shown["kind"], shown["layers"], shown["heads"]) == ("cross", 3, 4)
    app = open_page("head", task="other_translation", model="t5", kind="causal", head="2.3")
    assert not app.exception and app.selectbox(key="head").value == "2.3"
    assert says(page_text(app), "heads.passages_ours", n=2) and passages(app)


@pytest.mark.usefixtures("checkpoints_dir")
class TestHead:
    def test_without_evidence_it_offers_to_compute_it(self):
        assert ENGLISH("heads.missing") in page_text(open_page("head", task="afqmc"))

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_passages_pairs_and_neighbours(self, stored, language):
        app = open_page("head", task="afqmc", head="2.2", shows="self", lang=language)
        text = page_text(app)
        assert app.selectbox(key="shows").value == "self" and says(text, "heads.passages_sample", language, n=48)
        (row, query), *_ = stored.statistics["self"].passages(1, 1, 9)
        first = passages(app)[0]
        assert (first["tenth"], first["row"], first["marked"]) == (10, row + 1, query)
        assert first["query"] == first["labels"][query] and sum(first["weights"]) == pytest.approx(1, abs=0.01)
        assert says(text, "heads.pairs_note", language)
        (layer, head, _), *_ = stored.neighbours(1, 1, 3)
        app.button(key=f"neighbour_{layer + 1}.{head + 1}").click().run()
        assert not app.exception and link_parameters(app)["head"] == f"{layer + 1}.{head + 1}"

    def test_a_tenth_has_all_its_passages(self, stored):
        app = open_page("head", task="afqmc", head="1.1", shows="entropy", tenth="1")
        rows = [row + 1 for row, _ in stored.statistics["entropy"].passages(0, 0, 0)]
        assert [(passage["tenth"], passage["row"]) for passage in passages(app)] == [(1, row) for row in rows]

    def test_ten_inputs_are_one_of_each_tenth(self, stored):
        app = open_page("head", task="afqmc", head="1.1", shows="entropy", tenth=str(ALL))
        first = [stored.statistics["entropy"].passages(0, 0, tenth)[0][0] for tenth in range(10)]
        shown = [(passage["tenth"], passage["row"]) for passage in passages(app)]
        assert shown == [(tenth, first[tenth - 1] + 1) for tenth in range(10, 0, -1)]

    @pytest.mark.parametrize(("language", "four"), [("en", "four"), ("zh", "四")])
    def test_a_button_below_the_four_shows_ten(self, stored, language, four):
        app = open_page("head", task="afqmc", head="1.1", shows="entropy", lang=language)
        assert [passage["tenth"] for passage in passages(app)] == [10, 7, 4, 1]
        assert four in app.selectbox(key="tenth").options[0]
        app.button(key="show_ten").click().run()
        assert app.selectbox(key="tenth").value == ALL and link_parameters(app)["tenth"] == str(ALL)
        assert len(passages(app)) == 10 and "show_ten" not in {button.key for button in app.button}

    @pytest.mark.parametrize(("share", "expected"), [(0.3, "entropy"), (0.9, "previous")])
    def test_it_opens_at_the_criterion_by_which_the_head_stands_out(self, stored, checkpoints_dir, share, expected):
        file = checkpoints_dir / "afqmc" / "tiny" / "evidence" / "heads.json"
        result = json.loads(file.read_text())
        previous = result["surveys"][0]["statistics"]["previous"]
        previous["mean"][0][0], previous["interval"][0][0] = share, [share - 0.01, share + 0.01]
        file.write_text(json.dumps(result))
        assert open_page("head", task="afqmc", head="1.1").selectbox(key="shows").value == expected

    def test_a_passage_opens_in_the_explorer_at_its_head_and_query(self, stored):
        app = open_page("head", task="afqmc", head="2.1", shows="self", tenth="10")
        row, query = stored.statistics["self"].passages(1, 0, 9)[0]
        app = switch(trigger(app, _passages(app)[0].id, "open", 0), "matching").run()
        texts = get_task("afqmc").read("validation", "sample").loc[row]
        assert explorer(app)["instrument"]["texts"] == [texts["text"], texts["text_b"]]
        assert (explorer(app)["selection"]["head"], explorer(app)["selection"]["query"]) == ("2.1", str(query + 1))

    def test_what_changes_without_it_is_said_where_it_is_measured(self, stored, checkpoints_dir):
        assert not says(page_text(open_page("head", task="afqmc")), "heads.without")
        compute(checkpoints_dir / "afqmc" / "tiny", "afqmc", importance.NAME)
        app = open_page("head", task="afqmc", head="1.2")
        assert says(page_text(app), "heads.without") and not says(page_text(app), "importance.helped", head="1.2")
        app.session_state["head_decides"] = True
        app.run()
        assert says(page_text(app), "heads.without") and says(page_text(app), "importance.helped", head="1.2")
        measured = importance.read(read_result(checkpoints_dir / "afqmc" / "tiny", importance.NAME))
        app.button(key="importance_helped_0").click().run()
        row = get_task("afqmc").read("validation", "sample").loc[measured.helped[0, 1][0].row]
        assert explorer(app)["instrument"]["texts"] == [row["text"], row["text_b"]]
        assert explorer(app)["selection"]["head"] == "1.2"

    def test_without_the_corpus_the_sample_shows_it(self, checkpoints_dir):
        folder = checkpoints_dir / "imdb" / "tiny"
        compute(folder, "imdb", heads.NAME)
        file = folder / "evidence" / "heads.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "data": "full", "n": 2480}))
        app = open_page("head", task="imdb", head="1.1")
        text = page_text(app)
        assert says(text, "heads.over_full", n=2480) and says(text, "heads.no_corpus")
        assert says(text, "heads.passages_sample", n=48) and passages(app)

    def test_the_text_of_a_visitor_is_drawn_when_it_is_opened(self, stored):
        app = open_page("head", task="afqmc", head="1.2", a="good film", b="bad film")
        assert "html_head_text" not in {button.key for button in app.get("download_button")}
        app.session_state["head_own_text"] = True
        app.run()
        assert not app.exception and "html_head_text" in {button.key for button in app.get("download_button")}

    def test_weights_by_position_are_drawn_or_said_to_be_missing(self, stored, checkpoints_dir):
        app = open_page("head", task="afqmc", over="by_position")
        assert "html_head_positions" in {button.key for button in app.get("download_button")}
        file = checkpoints_dir / "afqmc" / "tiny" / "evidence" / "heads.json"
        result = json.loads(file.read_text())
        del result["surveys"][0]["positions"]
        file.write_text(json.dumps(result))
        app = open_page("head", task="afqmc", over="by_position")
        assert not app.exception and ENGLISH("heads.no_positions") in page_text(app)

    def test_a_row_that_the_corpus_has_not_is_left_out(self, stored, checkpoints_dir):
        file = checkpoints_dir / "afqmc" / "tiny" / "evidence" / "heads.json"
        result = json.loads(file.read_text())
        rows = result["surveys"][0]["statistics"]["self"]["rows"]
        result["surveys"][0]["statistics"]["self"]["rows"] = np.full(np.shape(rows), 10**6).tolist()
        file.write_text(json.dumps(result))
        app = open_page("head", task="afqmc", head="1.1", shows="self")
        assert not app.exception and not passages(app)

    def test_a_translation_has_a_page_for_the_heads_of_each_attention(self, checkpoints_dir):
        compute(save_translation(checkpoints_dir), "tatoeba", heads.NAME)
        for kind in ("self", "causal", "cross"):
            app = open_page("head", task="tatoeba", kind=kind, head="1.2")
            assert not app.exception and passages(app), kind

    def test_the_explorer_leads_to_the_page_of_its_head(self, stored):
        app = open_page("matching", head="2.2")
        assert explorer(app)["instrument"]["corpus"]
        app = switch(report(app, "corpus", {"head": "2.2"}), "head").run()
        assert not app.exception and app.selectbox(key="head").value == "2.2"
        assert app.title[0].value == ENGLISH("heads.title_of_page")

    def test_without_a_survey_it_does_not(self, stored):
        assert not explorer(open_page("sentiment"))["instrument"]["corpus"]

    @pytest.mark.parametrize("head", ["2.*", "1.1 1.2", "9.9", "", None])
    def test_without_a_single_head_it_stays(self, stored, head):
        app = report(open_page("matching"), "corpus", {"head": head})
        assert app.title[0].value == ENGLISH("afqmc.title") and not app.exception

    @pytest.mark.parametrize("head", ["9.9", "x", "1.1 1.2"])
    def test_an_invalid_head_is_the_first(self, stored, head):
        assert open_page("head", task="afqmc", head=head).selectbox(key="head").value == "1.1"
