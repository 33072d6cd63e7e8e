"""The route of language models: what is read, written token by token, and what may come next."""

import asyncio
import json
import shutil

import pytest

from pages.routes.explain import explain
from pages.routes.generate import generate
from pages.routes.streams import JSON
from pages.shared import other_models, teacher
from pages.shared.other_models import open_language_models, open_model
from tests.adapters.test_language_model import network
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_networks import CHAT_TEMPLATE, byte_pairs
from tests.commands.test_generating import overflowing
from tests.pages.app import explorer, link_parameters, open_page, switch, trigger
from tests.pages.routes.route_requests import post, refusal_message
from tests.pages.routes.test_translate import read, split
from tests.tiny_language_model import save_language_model
from tests.words import says

pytestmark = [pytest.mark.usefixtures("checkpoints_dir"), pytest.mark.process]  # a trial of the tokenizer
REQUEST = {"task": "other", "model": "gpt2", "text": "ab 😀c", "language": "en", "visit": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("elsewhere") / "gpt2"
    network("GPT2").save_pretrained(path)
    byte_pairs(40).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def chat_folder(tmp_path_factory):
    path, tokenizer = tmp_path_factory.mktemp("elsewhere") / "chatty", byte_pairs(40)
    net = network("GPT2")
    net.generation_config.eos_token_id = list(range(2, 270))  # whatever it writes ends its turn
    net.save_pretrained(path)
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture
def chatty(chat_folder):
    return open_model(f"path:{chat_folder}")


@pytest.fixture(autouse=True)
def alone(folder, monkeypatch):
    monkeypatch.setenv(teacher.ALONE, "1")
    monkeypatch.setattr(other_models, "_models", {})


@pytest.fixture
def model(folder):
    return open_model(f"path:{folder}")


def frames(**fields) -> list[dict]:
    response = post(generate, REQUEST | fields)
    assert response.status_code == 200
    return [json.loads(content) for kind, content in split(asyncio.run(read(response))) if kind == JSON]


def test_a_text_is_read_then_written_and_goes_on_from_where_it_was(model):
    first, *steps, following, end = frames(most=3)
    assert first["read"]["starts"][-1] == 5 and first["read"]["steps"][0] is None  # 😀 counts as two in JavaScript
    assert len(steps) == 3 and len(following["next"]) == 8 and end == {"end": True}
    written = [step["step"]["id"] for step in steps]
    again, *none, following_again, _ = frames(written=written)
    assert [step["id"] for step in again["read"]["steps"][-3:]] == written and not none
    assert following_again == following


def test_a_character_of_several_tokens_is_readable_when_typed_and_when_written(model):
    first, _, _ = frames(text="é小")
    labels = first["read"]["labels"]
    assert "é" in labels and "小" in labels and "<0x8F>" in labels  # the last one of 小, which has three
    written = [step["id"] for step in first["read"]["steps"][1:]]
    *_, following, _ = frames(text="a", written=written)
    assert [label for label in following["labels"] if not label.startswith("<")] == ["a", "é", "小"]


def test_without_heads_something_else_may_follow(model):
    *_, whole, _ = frames()
    *_, masked, _ = frames(masked=[[layer, head] for layer in range(3) for head in range(4)])
    assert masked["next"] != whole["next"]
    (refused,) = frames(masked=[[3, 0]])
    assert says(refused["error"], "analysis.whatif_unknown_head", layer=4, head=1)


def test_what_cannot_be_read_is_a_sentence(model):
    assert says(refusal_message(generate, REQUEST | {"written": [9999]}, 422), "generation.unknown_token", token=9999)
    assert says(refusal_message(generate, REQUEST | {"text": "x" * 100_000}, 422), "generation.full", most=40)
    refusal_message(generate, REQUEST | {"text": " "}, 422)
    for wrong in (
        {"most": -1},
        {"most": True},
        {"written": ["a"]},
        {"decoding": {"method": "beam"}},
        {"visit": 1},
        {"masked": [[1]]},
    ):
        assert says(refusal_message(generate, REQUEST | wrong, 400), "generation.request_unreadable")


def test_numbers_that_are_not_finite_are_a_sentence(tmp_path):
    open_model(f"path:{overflowing(tmp_path / 'overflows')}")
    (failed,) = frames(model="overflows", text="a" * 15)
    assert failed["status"] == 422 and says(failed["error"], "analysis.no_numbers")
    *written, failed = frames(model="overflows", text="a" * 8, most=30)
    assert "step" in written[-1] and says(failed["error"], "analysis.no_numbers")
    request = {"task": "other", "model": "overflows", "language": "en", "texts": ["a" * 15]}
    assert says(refusal_message(explain, request, 422), "analysis.no_numbers")


def test_a_full_context_is_said(model):
    *_, following, _ = frames(most=200)
    assert says(following["notice"], "generation.context_full") or says(following["notice"], "generation.ended")


def test_a_chat_is_read_with_its_markers_and_ends_with_the_turn(chatty):
    chat = {"model": "chatty", "chat": True, "text": "cat", "system": "ab", "most": 5}
    first, *steps, following, _ = frames(**chat)
    markers = [first["read"]["labels"][position] for position in first["read"]["markers"]]
    assert markers == ["<s>", "<pad>", *"s:", "</s>", "<pad>", *"u:", "</s>", "<pad>", *"a:"]
    assert "".join(first["read"]["labels"]) == "<s><pad>s:ab</s><pad>u:cat</s><pad>a:"
    assert set(first["read"]["starts"]) == {0} and first["read"]["notices"] == []
    assert not steps and says(following["notice"], "generation.ended")
    again, *_ = frames(**chat | {"system": "", "most": 0})
    assert "".join(again["read"]["labels"]) == "<s><pad>u:cat</s><pad>a:"


def test_a_chat_goes_on_after_an_answer_or_ends_with_it(chatty):
    chat = {"model": "chatty", "chat": True, "text": "cat", "turns": [["ab", " ba "]]}
    first, *_ = frames(**chat)
    assert "".join(first["read"]["labels"]) == "<s><pad>u:ab</s><pad>a:ba</s><pad>u:cat</s><pad>a:"
    first, following, _ = frames(**chat | {"text": " "}, written=model_tokens("a\n sat"))
    assert "".join(first["read"]["labels"]) == "<s><pad>u:ab</s><pad>a:baa↵␣sat" and following["written"] == "a\n sat"
    assert says(
        refusal_message(generate, REQUEST | chat | {"turns": [["a" * 50, "b"]]}, 422), "generation.chat_full", most=40
    )
    for wrong in ("x", ["ab"], [["a"]], [["a", 1]], [["a", "b", "c"]], {"a": "b"}):
        assert says(refusal_message(generate, REQUEST | chat | {"turns": wrong}, 400), "generation.request_unreadable")


def test_what_a_chat_cannot_read_is_a_sentence(chatty):
    chat = {"model": "chatty", "chat": True}
    refusal_message(generate, REQUEST | chat | {"text": " "}, 422)
    for long in ("c" * 40, "x" * 100_000):
        assert says(refusal_message(generate, REQUEST | chat | {"text": long}, 422), "generation.full", most=40)
    for wrong in ({"chat": "yes"}, {"chat": 1}, {"system": None}):
        assert says(refusal_message(generate, REQUEST | chat | wrong, 400), "generation.request_unreadable")
    typed, *_ = frames(**chat, text="a<pad>b")  # as in the library, what is typed may be a marker
    assert typed["read"]["labels"].count("<pad>") == 3


def test_a_model_without_a_template_reads_the_text_and_says_so(model):
    read = frames(chat=True)[0]["read"]
    assert read["labels"] == frames()[0]["read"]["labels"] and read["starts"][-1] == 5
    (notice,) = read["notices"]
    assert says(notice, "generation.no_chat", name="gpt2") and frames()[0]["read"]["notices"] == []


def test_the_page_offers_language_models_only(model, tmp_path):
    open_model(f"path:{save_model(tmp_path / 'base', kind='Model')}")
    assert [info.name for info in open_language_models()] == ["gpt2"]
    app = open_page("language-model", text="ab", written="5 6", kept="7", decoding="sample", temperature="0.5")
    fields = opened_fields(app)
    assert fields["request"]["body"] == {"task": "other", "model": "gpt2", "language": "en"}
    assert (fields["link"]["text"], fields["link"]["written"], fields["link"]["temperature"]) == ("ab", "5 6", "0.5")
    assert (link_parameters(app)["written"], link_parameters(app)["kept"]) == ("5 6", "7") and not app.exception


def test_models_trained_here_stand_beside_it(model, checkpoints_dir):
    save_language_model(checkpoints_dir, name="gpt2")
    app = open_page("language-model")
    assert len(app.selectbox(key="model").options) == 2 and link_parameters(app)["model"] == "imdb-text/gpt2"
    assert opened_fields(app)["request"]["body"] == {"task": "imdb-text", "model": "gpt2", "language": "en"}
    assert opened_fields(open_page("language-model", model="gpt2"))["request"]["body"]["task"] == "other"


def test_the_page_offers_a_chat_where_there_is_a_template(model, chatty):
    app = open_page("language-model", model="chatty", chat="1", system="ab", text="cat")
    fields = opened_fields(app)
    assert fields["chat"] == {"offered": True, "system": True, "turns": True, "problem": ""}
    assert (fields["link"]["chat"], fields["link"]["system"]) == ("1", "ab")
    assert (link_parameters(app)["chat"], link_parameters(app)["system"]) == ("1", "ab")
    without = opened_fields(open_page("language-model", model="gpt2"))
    assert without["chat"] == {"offered": False, "system": False, "turns": False, "problem": ""}


def test_a_chat_goes_to_the_explorer_with_its_markers(chatty):
    app = open_page("language-model", model="chatty", chat="1", text="cat", turns='[["ab","ba"]]')
    assert opened_fields(app)["link"]["turns"] == link_parameters(app)["turns"] == '[["ab","ba"]]'
    turns, written = [["ab", "ba"]], model_tokens(" sat")
    event = {"text": "cat", "chat": True, "system": "", "turns": turns, "written": written}
    app = switch(trigger(app, component_id(app), "explore", event), "other")
    app.query_params.clear()
    app.run()
    assert explorer(app)["instrument"]["texts"] == ["<pad>u:ab</s><pad>a:ba</s><pad>u:cat</s><pad>a: sat"]


def test_why_a_template_cannot_be_used_is_on_the_page(chat_folder, tmp_path):
    shutil.copytree(chat_folder, tmp_path / "broken")
    (tmp_path / "broken" / "chat_template.jinja").write_text("{{ raise_exception('not today') }}", "utf-8")
    open_model(f"path:{tmp_path / 'broken'}")
    fields = opened_fields(open_page("language-model", lang="zh"))
    assert not fields["chat"]["offered"]
    assert says(fields["chat"]["problem"], "adapters.chat_failed", "zh", name="broken", reason="not today")


def opened_fields(app) -> dict:
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "generation")
    return json.loads(proto.json)["generation"]


def component_id(app) -> str:
    (proto,) = (e.proto for e in app.get("bidi_component") if e.proto.component_name == "generation")
    return proto.id


def test_the_page_leads_to_the_explorer_with_what_was_written(model):
    app = open_page("language-model", text="ab")
    identity, event = component_id(app), {"text": "ab", "chat": False, "system": "", "turns": []}
    written = model_tokens(" cat sat")
    app = switch(trigger(app, identity, "explore", event | {"written": written}), "other")
    app.query_params.clear()
    app.run()
    opened = explorer(app)
    assert (opened["model"], opened["instrument"]["texts"], opened["kind"]) == ("gpt2", ["ab cat sat"], "causal")
    nonsense = trigger(open_page("language-model", text="ab"), identity, "explore", event | {"written": [9999]})
    assert not nonsense.exception and not nonsense.error


def model_tokens(text: str) -> list[int]:
    return byte_pairs(40)(text, add_special_tokens=False)["input_ids"]


def test_without_a_model_the_page_says_how_to_open_one():
    app = open_page("language-model", lang="zh")
    assert says(app.info[0].value, "generation.none", "zh") and not app.exception
