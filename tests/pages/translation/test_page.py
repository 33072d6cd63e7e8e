"""The page of translations on an untrained model: what it is opened with, the link, and no model at all."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from pages.shared.tasks import PAGES
from pages.shared.translating import first_state
from pages.shared.translation_figures import translate_state
from tests.pages.app import FRAME, link_parameters, open_page, page_text, switch
from tests.tiny_translation import save_translation
from tests.words import english, says
from viz_core import checkpoints
from viz_core.evidence.alignment import NAME
from viz_core.evidence.results import write_result
from viz_core.language import LANGUAGES
from viz_core.records import AlignmentScore, WordAlignment
from viz_core.records.alignment import BASELINES, QUERIES

FIRST = first_state(PAGES["tatoeba"])


def opening(app) -> dict:
    """What the component is opened with."""
    return json.loads(_component(app).json)


def _component(app):
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "translation")
    return proto


def report(app, **link: str):
    """The page after the component reported what is set."""
    states = app._tree.get_widget_states()
    event = states.widgets.add()
    event.id = f"$$STREAMLIT_INTERNAL_KEY_{_component(app).id}__events"
    event.json_trigger_value = json.dumps([{"event": "link", "value": link}])
    return app._run(states).run()


def test_without_a_model_the_page_says_how_to_train_one(checkpoints_dir):
    for language in LANGUAGES:
        app = open_page("translation", lang=language)
        (info,) = app.info
        assert says(info.value, "translation.no_model", language)
        assert "python -m viz_core train --task tatoeba --name small" in info.value
        shown = [element.proto.component_name for element in app.get("bidi_component")]
        assert shown == FRAME and not app.error


def test_the_first_example_is_translated_before_anything_is_typed(checkpoints_dir):
    save_translation(checkpoints_dir)
    app = open_page("translation")
    fields = opening(app)["translation"]
    assert fields["link"]["text"] == "我们明天去学校。" == fields["examples"][0]["texts"][0]
    assert fields["request"]["body"] == {"task": "tatoeba", "model": "tiny", "language": "en"}
    assert (fields["layers"], fields["heads"]) == (2, 2) and link_parameters(app) == {}
    assert all(example["reference"] for example in fields["examples"]) and not page_text(app).count("error")


def test_a_reference_translation_glosses_its_example_for_those_who_read_its_language(checkpoints_dir):
    save_translation(checkpoints_dir)
    for language, glosses in (("en", [[example[1]] for _, example in PAGES["tatoeba"].examples]), ("zh", [[]] * 6)):
        examples = opening(open_page("translation", lang=language))["translation"]["examples"]
        assert [example["gloss"] for example in examples] == glosses


def test_a_link_restores_what_was_set_and_mistyped_names_are_dropped(checkpoints_dir):
    save_translation(checkpoints_dir)
    link = {
        "text": "他没有来",
        "decoding": "beam",
        "width": "2",
        "masked": "1.1",
        "fed": "1:we",
        "kind": "causal",
        "present": "links",
    }
    app = open_page("translation", **link, nonsense="x")
    state = opening(app)["translation"]["link"]
    assert state.items() >= link.items() and "nonsense" not in state
    app = switch(switch(app, "home").run(), "translation").run()  # what was set is there again
    assert opening(app)["translation"]["link"] == state and link_parameters(app).items() >= link.items()


def test_what_is_set_goes_into_the_link_and_long_texts_stay_out(checkpoints_dir):
    save_translation(checkpoints_dir)
    app = report(open_page("translation"), text="他没有来", decoding="sample", seed="3", temperature="1", other="x")
    assert link_parameters(app) == {"text": "他没有来", "decoding": "sample", "seed": "3"}
    assert opening(app)["translation"]["link"]["text"] == "他没有来"
    app = report(app, text="我" * 2001)
    assert link_parameters(app) == {}
    app = report(app, text="half \ud83d")
    assert link_parameters(app) == {} and not app.exception


@pytest.mark.parametrize("value", ["x", 1, None, []])
def test_mistyped_reports_are_ignored(checkpoints_dir, value):
    save_translation(checkpoints_dir)
    app = open_page("translation")
    app = report(app, text=value)
    assert not app.exception and opening(app)["translation"]["link"]["text"] in ("我们明天去学校。", "x")


def test_the_translation_that_is_shown_can_be_exported(checkpoints_dir):
    folder = save_translation(checkpoints_dir, end=3.0)
    checkpoint = checkpoints.load_folder(folder, "tatoeba")
    plain = translate_state(checkpoint, FIRST)
    outputs = [step.output.token for step in plain.steps]
    assert plain.complete and outputs == list(plain.outputs)
    fed = translate_state(checkpoint, FIRST | {"fed": "1:we 2:school"})
    assert fed.outputs[:2] == ("we", "school")
    assert translate_state(checkpoint, FIRST | {"masked": "1.1 2.2"}).attention["cross"].shape[0] == 2
    beam = translate_state(checkpoint, FIRST | {"decoding": "beam", "width": "2", "blocked": "3"})
    assert not beam.attention["cross"][..., 2].any()
    read = translate_state(checkpoint, FIRST | {"view": "training", "reference": "we go"})
    assert read.outputs == ("we", "go", "[SEP]")
    for state in ({"fed": "x:we"}, {"masked": "1"}, {"seed": "x"}):
        with pytest.raises(ValueError):
            translate_state(checkpoint, FIRST | {"decoding": "sample"} | state)


def test_figures_and_files_are_offered_below(checkpoints_dir, monkeypatch):
    save_translation(checkpoints_dir, end=3.0)
    app = open_page("translation", kind="causal", head="2.*", special="hidden", scale="x")
    app.session_state["figures"] = True
    app.run()
    assert not app.exception and english("pages.all_heads", layer=2) in [header.value for header in app.header]
    assert len(app.get("plotly_chart")) == 2
    app = open_page("translation", kind="causal", head="2.1", measure="norms")
    app.session_state["figures"] = True
    figure = json.loads(app.run().get("plotly_chart")[0].proto.spec)
    assert says(figure["layout"]["title"]["text"], "analysis.title_causal")
    assert says(figure["layout"]["title"]["text"], "analysis.title_value_weighted")
    app = open_page("translation", fed="1:zebra")
    app.session_state["figures"] = True
    assert "zebra" in app.run().warning[0].value.replace("\\", "") and not app.get("plotly_chart")


def test_the_head_that_aligns_best_is_shown_first_if_it_is_known(checkpoints_dir):
    folder = save_translation(checkpoints_dir)
    assert opening(open_page("translation"))["translation"]["link"]["head"] == "1.1"
    scores = [AlignmentScore(method, 0.5, 0.4, 0.6, 0.5, 0.5) for method in BASELINES]
    for query in QUERIES:
        scores.append(AlignmentScore("attention", 0.9, 0.8, 1.0, 0.1, 0.1, query))
        for number, (layer, head) in enumerate(np.ndindex(2, 2)):
            rate = 0.1 * abs(number - (2 if query == "produces" else 1))  # the third head, by the query that produces
            scores.append(AlignmentScore("attention", rate, 0.0, 1.0, 0.5, 0.5, query, layer, head))
    values = asdict(WordAlignment(60, 1, 1, tuple(scores), 0.2, (0.1, 0.0, 0.2)))
    write_result(folder, NAME, values)
    app = open_page("translation")
    assert opening(app)["translation"]["link"]["head"] == "2.1" and link_parameters(app) == {}
    assert link_parameters(report(app, head="1.1")) == {"head": "1.1"}
