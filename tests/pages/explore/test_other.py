"""The page of models from elsewhere: who may open one, what it shows, and what it refuses."""

import json
import shutil
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from streamlit.runtime.scriptrunner import get_script_run_ctx
from transformers import GPT2LMHeadModel

from pages.routes.explain import explain
from pages.routes.heads import heads
from pages.routes.whatif import whatif
from pages.shared import model_references, other_models, teacher
from pages.shared.cache import load_model
from pages.shared.models import find_model
from pages.shared.other_models import as_reference, find_opened, follow_servers, open_model, open_models
from tests.adapters.test_causal import network
from tests.adapters.test_language_model import network as causal_network
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_networks import byte_pairs
from tests.pages.app import explorer, link_parameters, open_page, page_text, switch, type_texts
from tests.pages.routes.route_requests import post, refusal_message
from tests.words import english, says
from viz_core.adapters import opening
from viz_core.analysis.direct_contributions import direct_contributions
from viz_core.analysis.explain import explain as analyse
from viz_core.jobs.run_folder import folder
from viz_core.records import Failure
from viz_core.rendering.labels import escape, printable

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.process]  # a trial of each tokenizer
KEY = "a key of a teacher"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("elsewhere")
    return {"classifier": save_model(root / "classifier"), "base": save_model(root / "base", kind="Model")}


@pytest.fixture(autouse=True)
def nothing_open(monkeypatch):
    monkeypatch.setattr(other_models, "_models", {})


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.setenv(teacher.ALONE, "1")


def open_by_form(app, text):
    app.text_input("reference").set_value(text)
    return next(button for button in app.button if button.label == english("other.open_button")).click().run()


def test_whoever_is_alone_opens_a_folder_and_sees_its_heads(alone, folders):
    app = open_by_form(open_page("other"), str(folders["classifier"]))
    assert not app.exception and [info.name for info in open_models()] == ["classifier"]
    app = switch(app, "other").run()
    header = explorer(app)
    assert (header["layers"], header["heads"], header["pair"], header["pieces"]) == (3, 4, True, True)
    assert (
        header["instrument"]["boxes"] == [english("other.box_first"), english("other.box_second")]
        and len(header["prediction"]["labels"]) == 3
    )
    assert says(page_text(app), "other.about", family="bert")
    assert english("evidence.title") in [header.value for header in app.header]


def test_the_page_of_the_models_offers_the_form_too(alone, folders):
    app = open_by_form(open_page("models"), f"path:{folders['base']}")
    assert not app.exception and find_opened("base")


def test_a_model_without_a_classifier_shows_attention_and_says_what_it_lacks(alone, folders):
    open_model(f"path:{folders['base']}")
    app = open_page("other")
    header = explorer(app)
    assert header["prediction"]["verdict"] == english("rendering.no_prediction")
    assert header["prediction"]["labels"] == [] and header["prediction"]["predicted"] == -1
    assert says(page_text(app), "adapters.lacks_classifier")
    app = open_page("other", evidence="whatif")
    assert not app.exception and says(page_text(app), "evidence.whatif_note_similarity")


def test_its_tokens_are_scored_without_a_corpus(alone, folders):
    open_model(f"path:{folders['classifier']}")
    app = open_page("other", evidence="methods", first="the cat", second="a mat")
    assert not app.exception and says(page_text(app), "attribution.integrated_gradients_shows")
    assert not says(page_text(app), "attribution.on_validation")


@pytest.fixture
def gpt(alone, tmp_path):
    """A causal model that is open."""
    network(GPT2LMHeadModel).save_pretrained(tmp_path / "gpt")
    byte_pairs().save_pretrained(tmp_path / "gpt")
    open_model(f"path:{tmp_path / 'gpt'}")


def test_a_causal_model_shows_what_may_come_next(gpt):
    app = open_page("other", texts="1", typed="cat sat")
    header = explorer(app)
    assert header["kind"] == "causal" and len(header["prediction"]["labels"]) == 8
    assert says(page_text(app), "adapters.next_token")
    assert english("evidence.title") in [header.value for header in app.header]
    (sections,) = [control for control in app.segmented_control if control.key == "evidence"]
    assert sections.options == [english(f"evidence.{name}") for name in ("methods", "whatif", "parts", "patching")]


def test_the_next_token_of_a_causal_model_is_attributed(gpt):
    app = open_page("other", texts="1", typed="cat sat a", evidence="methods")
    assert len(app.get("plotly_chart")) == 3 and says(page_text(app), "attribution.first_token")
    assert not any(says(info.value, "attribution.one_token") for info in app.info)


def test_what_each_head_adds_to_one_candidate_rather_than_another(gpt):
    app = open_page("other", texts="1", typed="cat sat", evidence="parts")
    labels = explorer(app)["prediction"]["labels"]
    names = [escape(printable(label)) for label in labels]
    title = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert says(title, "direct.title", chosen=names[0], against=names[1])
    (against,) = [box for box in app.selectbox if box.key == "against"]
    app = against.select(labels[3]).run()
    title = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert says(title, "direct.title", chosen=names[0], against=names[3])
    assert link_parameters(app)["against"] == labels[3]


def test_what_carries_the_difference_between_two_next_tokens(gpt):
    app = open_page("other", texts="1", typed="cat sat", source_typed="sat cat", evidence="patching")
    title = json.loads(app.get("plotly_chart")[-1].proto.spec)["layout"]["title"]["text"]
    assert says(title, "patching.title_residual") and not app.exception


def test_the_head_of_a_contribution_is_selected_in_the_explorer_and_the_text_stays(gpt):
    app = open_page("other", texts="1", typed="cat sat", evidence="parts")
    before = explorer(app)
    (button,) = [button for button in app.button if button.key == "contributions_0"]
    checkpoint = load_model(find_model("other", before["model"]))
    added = np.abs(direct_contributions(checkpoint, analyse(checkpoint, "cat sat"), 0, 1).heads)
    layer, head = np.unravel_index(added.argmax(), added.shape)
    assert says(button.label, "direct.show_head", head=rf"{layer + 1}\.{head + 1}")
    opened = explorer(button.click().run())
    assert opened["selection"] == {**before["selection"], "head": f"{layer + 1}.{head + 1}"}
    assert opened["instrument"]["texts"] == before["instrument"]["texts"]
    assert opened["choices"] == before["choices"] + 1 and link_parameters(app)["typed"] == "cat sat"
    assert explorer(app.run())["choices"] == opened["choices"]


@pytest.mark.parametrize("family, is_shared", [("Llama", True), ("GPT2", False)])
def test_heads_that_share_keys_are_named(alone, tmp_path, family, is_shared):
    causal_network(family).save_pretrained(tmp_path / family)
    byte_pairs(40).save_pretrained(tmp_path / family)
    open_model(f"path:{tmp_path / family}")
    text = page_text(open_page("other", texts="1", typed="cat sat"))
    assert says(text, "other.shared_keys", count=2, first=3, last=4) == is_shared


def test_a_causal_model_is_opened_at_its_last_token_and_a_head_that_copies(gpt):
    opened = explorer(open_page("other", texts="1", typed="a b a b", order="induction"))
    induction = np.array(opened["statistics"]["induction"])
    layer, head = np.unravel_index(induction.argmax(), induction.shape)
    selected = opened["selection"]
    assert (selected["head"], selected["query"]) == (f"{layer + 1}.{head + 1}", str(opened["tokens"]))
    assert selected["order"] == "induction"


def test_one_text_or_two_and_its_words(alone, folders):
    open_model(f"path:{folders['classifier']}")
    app = open_page("other", texts="1", typed="an unbelievably good film", unit="word")
    header = explorer(app)
    assert header["pair"] is False and header["instrument"]["texts"] == ["an unbelievably good film"]
    assert header["selection"]["unit"] == "word" and len(header["wordLabels"]) < header["tokens"]
    app = type_texts(app, "the cat", head="2.3")
    assert link_parameters(app)["typed"] == "the cat" and explorer(app)["selection"]["head"] == "2.3"


def test_the_routes_serve_open_models_and_no_others(alone, folders):
    request = {"task": "other", "model": "classifier", "texts": ["the cat"], "language": "en"}
    refusal_message(explain, request, 404)
    open_model(f"path:{folders['classifier']}")
    assert post(explain, request).status_code == post(heads, request | {"heads": [[2, 3]]}).status_code == 200
    result = json.loads(post(whatif, request | {"masked": [[0, 1]], "effects": True}).body)
    assert result["original"] != result["probabilities"] and np.shape(result["effects"]) == (3, 4)


def test_what_if_of_a_model_without_a_classifier_says_how_similar_its_embedding_stays(alone, folders):
    open_model(f"path:{folders['base']}")
    request = {"task": "other", "model": "base", "texts": ["the cat"]}
    assert json.loads(post(whatif, request).body) == {"similarity": pytest.approx(1)}
    result = json.loads(post(whatif, request | {"masked": [[0, 1]], "effects": True, "control": True}).body)
    effects = np.array(result["effects"])
    assert effects.shape == (3, 4) and (effects <= 1e-6).all() and (effects < -1e-4).any()
    assert result["similarity"] - 1 == pytest.approx(effects[0, 1], abs=1e-5)
    assert result["control"]["draws"] == 11 and result["control"]["without"] == pytest.approx(1)


def test_what_if_of_a_causal_model_follows_its_next_tokens(gpt):
    request = {"task": "other", "model": "gpt", "texts": ["cat sat"], "tracked": 1}
    before = json.loads(post(whatif, request).body)
    assert before["predicted"] == 0 and before["probabilities"] == pytest.approx(before["original"], abs=1e-6)
    masked = [[layer, head] for layer in range(3) for head in range(4)]
    result = json.loads(post(whatif, request | {"masked": masked, "effects": True}).body)
    labels = explorer(open_page("other", texts="1", typed="cat sat"))["prediction"]["labels"]
    assert result["predicted"] == (labels.index(result["likeliest"]) if result["likeliest"] in labels else -1)
    one = json.loads(post(whatif, request | {"masked": [[2, 3]]}).body)
    change = one["probabilities"][1] - one["original"][1]
    assert result["effects"][2][3] == pytest.approx(change, abs=1e-6) and np.shape(result["effects"]) == (3, 4)


@pytest.mark.parametrize("page", ["other", "models"])
def test_a_visitor_of_a_class_server_cannot_open_anything(page, monkeypatch):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    app = open_page(page)
    assert not [box for box in app.text_input if box.key == "reference"]
    assert says(page_text(app), "other.not_allowed")
    assert not any(says(info.value, "other.none") for info in app.info)


def test_a_teacher_with_the_key_opens_one_for_all(monkeypatch, folders):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    app = open_page("other")
    app.text_input("teacher_key").set_value(KEY).run()
    open_by_form(app, str(folders["classifier"]))
    assert explorer(open_page("other"))["model"] == "classifier"  # another visitor


def test_a_refusal_is_a_sentence_on_the_page(alone, tmp_path):
    app = open_by_form(open_page("other"), str(tmp_path / "nothing"))
    assert says(page_text(app), "adapters.no_folder") and not app.exception and open_models() == []


def test_opening_ends_when_the_visitor_leaves_or_clicks_anything(alone, folders, monkeypatch):
    ended = []

    def wait(reference, waiting):
        get_script_run_ctx().script_requests.request_stop()
        try:
            waiting()
        finally:
            ended.append(reference)
        raise AssertionError("it goes on")

    monkeypatch.setattr(other_models, "find_folder", wait)
    app = open_by_form(open_page("other"), str(folders["classifier"]))
    assert ended == [f"path:{folders['classifier']}"] and not app.exception and open_models() == []


def test_a_large_model_is_asked_for_first(alone, folders, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1000)
    app = open_by_form(open_page("other"), str(folders["classifier"]))
    assert says(page_text(app), "adapters.large") and open_models() == []
    next(button for button in app.button if button.label == english("other.open_large")).click().run()
    assert [info.name for info in open_models()] == ["classifier"]


def test_only_a_few_stay_open_and_links_to_closed_ones_do_not_fail(alone, folders, monkeypatch):
    monkeypatch.setattr(other_models, "MOST_OPEN", 1)
    open_model(f"path:{folders['classifier']}")
    open_model(f"path:{folders['base']}")
    assert [info.name for info in open_models()] == ["base"]
    with pytest.raises(Failure) as failure:
        other_models.opened_checkpoint("classifier")
    assert failure.value.message.key == "other.closed"
    assert explorer(open_page("other", model="classifier"))["model"] == "classifier", "it is opened again"


def restart(monkeypatch):
    """The server forgets what is open."""
    monkeypatch.setattr(other_models, "_models", {})


def test_a_link_opens_its_model_again_after_a_restart(alone, folders, monkeypatch):
    for kind in ("classifier", "base"):
        open_model(f"path:{folders[kind]}")
    link = link_parameters(open_page("other"))
    assert link["model"] == "base", "also the newest, which another may become"
    restart(monkeypatch)
    app = open_page("other", **link)
    assert not app.exception and explorer(app)["model"] == "base"
    assert [info.name for info in open_models()] == ["base"], "no other"


def test_what_cannot_be_opened_again_is_said(alone, folders, monkeypatch, tmp_path):
    shutil.copytree(folders["base"], tmp_path / "moved")
    open_model(f"path:{tmp_path / 'moved'}")
    restart(monkeypatch)
    (tmp_path / "moved").rename(tmp_path / "away")
    assert says(page_text(open_page("other", model="moved")), "adapters.no_folder")
    assert says(open_page("other", model="unheard").info[0].value, "other.not_open", name="unheard")


def test_a_visitor_of_a_class_server_opens_nothing_by_a_link(folders, monkeypatch):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    open_model(f"path:{folders['base']}")
    restart(monkeypatch)
    app = open_page("other", model="base")
    assert says(app.info[0].value, "other.not_open", name="base") and open_models() == [] and not app.exception


def test_a_list_of_models_that_cannot_be_written_or_read_keeps_nobody_from_opening(alone, folders, monkeypatch):
    folder().mkdir(parents=True)
    file = folder() / model_references.FILE
    file.write_text('{"base": 3}')
    assert model_references.reference_of("base") is None
    file.unlink()
    file.mkdir()
    assert open_model(f"path:{folders['base']}").name == "base" and model_references.reference_of("base") is None


def test_the_oldest_are_forgotten(monkeypatch):
    monkeypatch.setattr(model_references, "MOST", 2)
    for name in ("a", "b", "a", "c"):
        model_references.remember(name, f"hf:{name}")
    assert [model_references.reference_of(name) for name in "abc"] == ["hf:a", None, "hf:c"]


@pytest.fixture
def two_servers(monkeypatch):
    """Returns a function that goes to one of two servers, in whose memory each opens its models."""
    memories = {place: ({}, other_models._Followed()) for place in ("1/2", "2/2")}

    def go_to(place: str) -> list[str]:
        monkeypatch.setenv("VIZ_SERVER", place)
        models, followed = memories[place]
        monkeypatch.setattr(other_models, "_models", models)
        monkeypatch.setattr(other_models, "_followed", followed)
        follow_servers()
        return [info.name for info in open_models()]

    return go_to


def test_what_is_open_on_one_server_is_open_on_the_others(two_servers, folders, monkeypatch):
    loads, load = [], other_models._load
    monkeypatch.setattr(other_models, "_load", lambda *values: loads.append(values[0]) or load(*values))
    monkeypatch.setattr(other_models, "MOST_OPEN", 1)
    base, classifier = (f"path:{folders[kind]}" for kind in ("base", "classifier"))
    two_servers("1/2")
    open_model(base)
    assert two_servers("2/2") == two_servers("1/2") == ["base"] and loads == [base] * 2
    two_servers("2/2")
    open_model(classifier)
    assert two_servers("1/2") == two_servers("2/2") == ["classifier"] and loads == [base] * 2 + [classifier] * 2
    open_model(classifier)  # again, perhaps because its files have changed
    assert two_servers("1/2") == two_servers("1/2") == ["classifier"] and loads == [base] * 2 + [classifier] * 4


def test_a_model_that_is_being_opened_is_not_closed_by_what_other_servers_have_open(two_servers, folders, monkeypatch):
    two_servers("1/2")
    remember, follower = model_references.remember, Thread(target=follow_servers)

    def remember_meanwhile(name: str, reference: str) -> None:
        remember(name, reference)
        model_references.note_open("other", "hf:other", 4)
        follower.start()
        follower.join(0.5)

    monkeypatch.setattr(model_references, "remember", remember_meanwhile)
    monkeypatch.setattr(other_models, "find_folder", lambda reference, waiting: _folder_of(reference))
    open_model(f"path:{folders['base']}")
    follower.join()
    assert [info.name for info in open_models()] == ["base"]


def _folder_of(reference: str) -> Path:
    if reference == "hf:other":
        raise Failure("adapters.no_folder", folder="x")
    return Path(reference.removeprefix("path:"))


def test_what_another_server_has_opened_and_this_one_cannot_is_tried_once(two_servers, folders, monkeypatch):
    two_servers("1/2")
    open_model(f"path:{folders['base']}")
    loads = []

    def fail(*values: object) -> None:
        loads.append(values)
        raise Failure("adapters.no_folder", folder="x")

    monkeypatch.setattr(other_models, "_load", fail)
    assert two_servers("2/2") == two_servers("2/2") == [] and len(loads) == 1
    model_references.note_open("other", "hf:other", 4)
    assert two_servers("2/2") == [] and len(loads) == 2, "only the new one"


def test_a_visitor_of_another_server_opens_by_a_link_what_a_teacher_has_opened(two_servers, folders, monkeypatch):
    monkeypatch.setenv(teacher.TEACHER_KEY, KEY)
    two_servers("1/2")
    open_model(f"path:{folders['base']}")
    monkeypatch.setattr("tests.pages.explore.test_other.follow_servers", lambda: None)
    assert two_servers("2/2") == [], "it has not looked yet"
    app = open_page("other", model="base")
    assert not app.exception and explorer(app)["model"] == "base"


def test_lists_of_models_that_anybody_may_have_written(two_servers):
    folder().mkdir(parents=True)
    for text in ("[]", '{"a": 3, "b": ["hf:b"], "c": [1, 2], "d": ["hf:d", 0.5]}', "{"):
        (folder() / model_references.OPEN_FILE).write_text(text)
        assert model_references.open_everywhere() == {} and two_servers("1/2") == []


@pytest.mark.parametrize(
    "typed, reference",
    [
        (" hf:a/b ", "hf:a/b"),
        ("path:x", "path:x"),
        ("google-bert/bert-base-uncased", "hf:google-bert/bert-base-uncased"),
        ("~/models/mine", "path:~/models/mine"),
        ("/models/mine", "path:/models/mine"),
    ],
)
def test_what_is_typed_is_a_folder_or_an_id(typed, reference):
    assert as_reference(typed) == reference


def test_the_link_does_not_tell_where_a_folder_lies(alone, folders):
    open_model(f"path:{folders['classifier']}")
    header = json.dumps(explorer(open_page("other")))
    assert str(folders["classifier"].parent) not in header
