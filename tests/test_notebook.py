"""`show`: what the output of a notebook's cell contains, in a browser, too; and what it refuses."""

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from html import escape, unescape

import numpy as np
import pytest
from playwright.sync_api import expect

import viz_core
from tests.explorer import examples
from tests.tiny_translation import SOURCE, translation_checkpoint
from tests.words import says
from viz_core import checkpoints, show
from viz_core.analysis.explain import explain
from viz_core.language import LANGUAGES

HEADER = 4  # bytes of its length


def header(explorer) -> dict:
    """What the iframe in the output has packed: text, numbers and selection."""
    document = unescape(re.search('srcdoc="([^"]*)"', explorer._repr_html_())[1])
    assert document == explorer.document
    data = zlib.decompress(b64decode(re.search('id="explorer-data">([^<]*)<', document)[1]))
    return json.loads(data[HEADER : HEADER + int.from_bytes(data[:HEADER], "little")])


def test_a_model_named_by_task_and_name_reads_a_text(checkpoints_dir):
    packed = header(show("imdb/tiny", "a good film", language="en"))
    assert packed["labels"] == ["[CLS]", "a", "good", "film", "[SEP]"]
    assert (packed["layers"], packed["heads"], packed["model"]) == (2, 2, "tiny")
    assert packed["selection"] == {"head": "1.1"}
    assert packed["measures"] == ["weights", "norms"], "of a model, the norms of its values too"


def test_a_loaded_model_reads_a_pair_in_either_form(checkpoints_dir):
    model, pair = checkpoints.load("afqmc", "tiny"), ("花呗怎么还款", "花呗如何还钱")
    packed = header(show(model, *pair, language="zh", layer=2, head=1))
    assert packed == header(show(model, pair[0], text_b=pair[1], language="zh", layer=2, head=1))
    assert packed["pair"] and packed["language"] == "zh" and packed["selection"] == {"head": "2.1"}


def test_an_explanation_has_everything_already(checkpoints_dir):
    explanation = explain(checkpoints.load("imdb", "tiny"), "a bad film")
    packed = header(show(explanation))
    assert packed["labels"] == ["[CLS]", "a", "bad", "film", "[SEP]"]
    assert packed["measures"] == ["weights"]
    assert packed["prediction"]["probabilities"] == pytest.approx(explanation.probabilities.tolist(), abs=1e-6)


def test_a_translation_model_decodes_or_reads_a_reference():
    model = translation_checkpoint(end=3.0)
    decoded, read = header(show(model, SOURCE)), header(show(model, SOURCE, "we go to school ."))
    assert [attention["kind"] for attention in decoded["attentions"]] == ["cross", "self", "causal"]
    assert decoded["sides"]["source"] == read["sides"]["source"]
    assert "school" in read["sides"]["target"]["labels"]


def test_the_reader_decides_between_light_and_dark_unless_the_writer_has(checkpoints_dir):
    modes = [header(show("imdb/tiny", "a film", mode=mode)) for mode in (None, "light", "dark")]
    assert [packed["theme"]["mode"] for packed in modes] == ["light", "light", "dark"]
    assert [packed.get("dark", {}).get("mode") for packed in modes] == ["dark", None, None]


def test_the_size_is_said(checkpoints_dir, monkeypatch):
    explorer = show("imdb/tiny", "a good film", language="en", height=420)
    megabytes = f"{len(explorer.document.encode()) / 1e6:.1f}"
    sizes = {"layers": 2, "heads": 2, "tokens": 5, "megabytes": megabytes}
    assert says(repr(explorer), "notebook.summary", **sizes)
    assert 'height="420"' in explorer._repr_html_() and "<small>" not in explorer._repr_html_()
    monkeypatch.setattr("viz_core.notebook.LARGE", 1000)
    large = show("imdb/tiny", "a good film", language="en")
    assert "<small>" in large._repr_html_() and says(large._repr_html_(), "notebook.large", megabytes=megabytes)


def test_it_is_saved_as_a_file(checkpoints_dir, tmp_path):
    explorer, file = show("imdb/tiny", "a good film"), tmp_path / "attention.html"
    explorer.save(str(file))
    assert file.read_text(encoding="utf-8") == explorer.document
    with pytest.raises(ValueError, match="html"):
        explorer.save(str(tmp_path / "attention.docx"))


@pytest.fixture
def bert():
    """A tiny network of transformers without a classifier, and its tokenizer."""
    from tests.adapters.tiny_networks import network, wordpiece

    return network("bert", "Model"), wordpiece()


def test_a_model_of_transformers_is_shown_with_its_tokenizer(bert):
    packed = header(show(*bert, "The cat sat on the mat", text_b="The cat lay on the rug"))
    assert (packed["layers"], packed["heads"], packed["pair"]) == (3, 4, True)
    assert packed["labels"][:4] == ["[CLS]", "The", "cat", "sat"]
    assert packed["prediction"]["labels"] == [], "it has no classifier"
    assert packed["measures"] == ["weights", "norms"]


@pytest.mark.process  # its tokenizer is tried out
def test_a_folder_is_shown_by_its_reference(bert, tmp_path, monkeypatch):
    for part in bert:
        part.save_pretrained(tmp_path / "mine")
    assert header(show(f"path:{tmp_path / 'mine'}", "the cat"))["labels"] == ["[CLS]", "the", "cat", "[SEP]"]
    monkeypatch.setattr("viz_core.adapters.opening.LARGE", 1000)
    with pytest.raises(ValueError) as error:
        show(f"path:{tmp_path / 'mine'}", "the cat", language="en")
    assert says(str(error.value), "notebook.large_model")
    assert header(show(f"path:{tmp_path / 'mine'}", "the cat", accept_large=True))["layers"] == 3


def test_a_model_of_transformers_from_text_to_text_is_shown_with_its_three_attentions():
    from tests.adapters.tiny_translators import network, pieces

    packed = header(show(network("t5"), pieces(), "the cat sat", "die Katze", language="en", head=2))
    assert [attention["kind"] for attention in packed["attentions"]] == ["cross", "self", "causal"]
    assert packed["sides"]["source"]["labels"] == ["the", "cat", "sat", "</s>"]
    assert packed["sides"]["output"]["labels"] == ["▁die", "▁Katze", "</s>"]
    assert packed["attentions"][0]["measures"] == ["weights", "norms"] and packed["selection"] == {"head": "1.2"}


def test_a_model_of_transformers_without_its_tokenizer_is_refused(bert):
    for inputs in ((), ("the cat",)):
        with pytest.raises(ValueError) as error:
            show(bert[0], *inputs, language="en")
        assert says(str(error.value), "notebook.no_tokenizer")


EXPLANATION = examples.review()
LONG = replace(EXPLANATION, attention=np.broadcast_to(np.float32(1 / 512), (24, 16, 512, 512)))
WITHOUT = replace(EXPLANATION, attention=np.zeros((0, 0, 14, 14), np.float32))


@pytest.mark.parametrize(
    "arguments, key, values",
    [
        ((EXPLANATION, "a film"), "notebook.already_explained", {}),
        ((3, "a film"), "notebook.no_model", {"type": "int"}),
        (("imdb/tiny",), "notebook.no_text", {}),
        (("imdb/tiny", 7), "notebook.no_text", {"types": "int"}),
        (("imdb/tiny", "a", "b", "c"), "notebook.no_text", {"types": "str, str, str"}),
        (("tiny", "a film"), "notebook.no_reference", {"reference": "tiny"}),
        (("imdb/none", "a film"), "checkpoints.missing", {"name": "none"}),
        (("imdb/tiny", "a good film", "a bad film"), "analysis.needs_single", {"task": "imdb"}),
        ((LONG,), "notebook.too_large", {"layers": 24, "heads": 16, "tokens": 512, "megabytes": 75}),
        ((WITHOUT,), "notebook.no_attention", {"model": "small"}),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(checkpoints_dir, arguments, key, values):
    with pytest.raises(ValueError) as error:
        show(*arguments, language="en")
    assert says(str(error.value), key, **values)
    assert error.value.__suppress_context__, "no traceback of ours above the sentence"


def test_a_head_that_does_not_exist_is_refused_in_both_languages(checkpoints_dir):
    for language in LANGUAGES:
        with pytest.raises(ValueError) as error:
            show("imdb/tiny", "a film", head=3, language=language)
        assert says(str(error.value), "cli.no_such_head", language, number=3)


def test_nothing_else_is_loaded_lazily():
    with pytest.raises(AttributeError, match="'viz_core'.*'shown'"):
        viz_core.shown  # noqa: B018


@pytest.mark.parametrize(
    "mode, scheme, background", [(None, "dark", "rgb(14, 17, 23)"), ("light", "dark", "rgb(255, 255, 255)")]
)
def test_the_output_of_a_cell_is_drawn_offline(browser, checkpoints_dir, mode, scheme, background):
    context = browser.new_context(offline=True, color_scheme=scheme)
    try:
        page = context.new_page()
        page.set_content(
            f"<!DOCTYPE html><title>Notebook</title>{show('imdb/tiny', 'a good film', mode=mode)._repr_html_()}"
        )
        frame = page.frame_locator("iframe")
        frame.locator(".explorer[data-drawn]").wait_for()
        for element in ("body", ".explorer"):
            expect(frame.locator(element)).to_have_css("background-color", background)
        page.emulate_media(color_scheme="light")
        for element in ("body", ".explorer"):
            expect(frame.locator(element)).to_have_css("background-color", "rgb(255, 255, 255)")
    finally:
        context.close()


# The sandboxes of a cell in Colab and of a notebook in VS Code, and the strictest policy of the latter
# (`notebook.experimental.enableCsp`).
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:"
)


@pytest.mark.parametrize("sandbox, policy", [("allow-scripts", ""), ("allow-scripts allow-same-origin", POLICY)])
def test_it_is_drawn_and_answers_clicks_in_the_frames_of_colab_and_vs_code(browser, checkpoints_dir, sandbox, policy):
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    output = escape(f"<!DOCTYPE html>{head}{show('imdb/tiny', 'a good film')._repr_html_()}")
    context = browser.new_context(offline=True)
    try:
        page, requests, complaints = context.new_page(), [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text) if "Policy" in message.text else None)
        page.set_content(
            f'<!DOCTYPE html><title>Notebook</title><iframe sandbox="{sandbox}" srcdoc="{output}"></iframe>'
        )
        explorer = page.frame_locator("iframe").frame_locator("iframe")
        explorer.locator(".explorer[data-drawn]").wait_for()
        head = explorer.locator(".view.overview .head").nth(3)
        head.click()
        expect(head).to_have_attribute("aria-pressed", "true")
        assert requests == [] and complaints == []
    finally:
        context.close()
