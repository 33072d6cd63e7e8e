"""What the commands that ask models answer, and the sentence where they cannot."""

from __future__ import annotations

import ast
import base64
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.browser import executable
from tests.commands.calling import PAIR, REVIEW, module
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.commands.models import VIEWS


def test_models_gives_config_and_figures(answer, checkpoints_dir):
    found = answer("models")
    assert [(one["task"], one["model"]) for one in found] == [("imdb", "tiny"), ("afqmc", "tiny")]
    assert (found[0]["layers"], found[0]["width"], found[0]["validation"]) == (2, 8, {"accuracy": 0.5})


def test_models_names_the_broken_one_beside_the_answer(call, checkpoints_dir):
    (checkpoints_dir / "imdb" / "tiny" / checkpoints.CONFIG).write_text("{", encoding="utf-8")
    code, out, error = call("models", "--json")
    assert code == 0
    assert [one["task"] for one in json.loads(out)] == ["afqmc"]
    assert "imdb/tiny" in error


@pytest.mark.parametrize(
    "given, labels, tokens",
    [
        (REVIEW, ["negative", "positive"], ["[CLS]", "not", "a", "good", "film", "[SEP]"]),
        (PAIR, ["different", "same"], ["[CLS]", *"花呗怎么还", "[SEP]", *"借呗如何还款", "[SEP]"]),
    ],
)
def test_predict_keeps_its_contract(answer, checkpoints_dir, given, labels, tokens):
    found = answer("predict", *given)
    assert list(found) == ["model", "label", "probabilities", "threshold", "tokens", "notices"]
    assert (found["model"], found["threshold"]) == ("tiny", 0.4)
    assert list(found["probabilities"]) == labels
    assert sum(found["probabilities"].values()) == pytest.approx(1)
    assert found["label"] == labels[found["probabilities"][labels[1]] >= 0.4]
    assert (found["tokens"], found["notices"]) == (tokens, [])


def test_predict_says_its_notices_in_the_language_asked_for(call, checkpoints_dir):
    for lang, words in (("en", "not in the model's vocabulary"), ("zh", "词表")):
        (notice,) = ast.literal_eval(call("predict", "--task", "imdb", "--text", "a zebra", lang=lang)[1])["notices"]
        assert words in notice and "zebra" in notice


def test_predict_reads_a_csv_file(answer, checkpoints_dir, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("sentence1,sentence2\n花呗怎么还,借呗如何还款\n花呗,龘\n", encoding="utf-8-sig")
    first, second = answer("predict", "--task", "afqmc", "--csv", file)
    single = answer("predict", *PAIR)
    assert first["probabilities"] == pytest.approx(single.pop("probabilities"), abs=1e-5)
    assert {**first, "probabilities": None} == {**single, "probabilities": None}
    assert "龘" in second["notices"][0]


def test_without_json_the_same_answer_is_laid_out_for_people(call, answer, checkpoints_dir):
    _, out, _ = call("predict", *PAIR)
    assert ast.literal_eval(out) == answer("predict", *PAIR)
    assert "花" in out and max(map(len, out.splitlines())) <= 120


def test_the_first_model_without_a_caution_answers(answer, checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "another", caution="checkpoints.collapsed")
    assert answer("predict", *REVIEW)["model"] == "tiny"
    assert answer("predict", *REVIEW, "--model", "another")["notices"][0].startswith(
        "This model is shown as a bad example"
    )


def test_explain_writes_attention(answer, checkpoints_dir, tmp_path):
    out = tmp_path / "x.npz"
    found = answer("explain", *PAIR, "--out", out)
    assert (found["attention"], found["out"], found["model"]) == ([2, 2, 14, 14], str(out), "tiny")
    with np.load(out) as file:
        np.testing.assert_allclose(file["attention"].sum(-1), 1, atol=1e-6)
        assert file["probabilities"].tolist() == list(found["probabilities"].values())


class Links(HTMLParser):
    """The values of src, href and the like in a document, scripts left out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes) -> None:
        self.found += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data", "action")]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_becomes_html_that_needs_no_network(answer, checkpoints_dir, tmp_path, view):
    out = tmp_path / "view.html"
    found = answer("figure", *PAIR, "--view", view, "--layer", "2", "--head", "1", "--out", out)
    assert (found["view"], found["out"], found["model"]) == (view, str(out), "tiny")
    html = out.read_text(encoding="utf-8")
    assert Links(html).found == []
    assert not re.search(r"@import|url\(\s*['\"]?https?:", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL))
    assert "花" in html or "\\u82b1" in html or view == "probabilities"  # Plotly writes its JSON in ASCII


def test_layer_and_head_count_from_one_and_are_named_on_the_figure(answer, checkpoints_dir, tmp_path):
    out = tmp_path / "view.html"
    answer(
        "figure", *REVIEW, "--view", "heatmap", "--layer", "2", "--head", "1", "--scale", "log", "--dark", "--out", out
    )
    assert "layer 2, head 1" in out.read_text(encoding="utf-8")
    answer("figure", *REVIEW, "--view", "heatmap", "--out", out)
    assert "mean over all layers and heads" in out.read_text(encoding="utf-8")


def test_the_explorer_begins_with_the_head_that_was_asked_for(answer, checkpoints_dir, tmp_path):
    for arguments, head in ((("--layer", "2", "--head", "1"), "2.1"), (("--layer", "2"), "2.*"), ((), "*.*")):
        answer("figure", *PAIR, "--view", "explorer", *arguments, "--scale", "log", "--out", tmp_path / "x.html")
        (data,) = re.findall(r'id="explorer-data">([^<]+)<', (tmp_path / "x.html").read_text(encoding="utf-8"))
        packed = zlib.decompress(base64.b64decode(data))
        header = json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])
        assert header["selection"] == {"head": head, "scale": "log"}
        assert header["request"] is None and len(header["sent"]) == header["layers"] * header["heads"]


@pytest.mark.parametrize("what, number", [("layer", 0), ("layer", 3), ("head", 0), ("head", 3), ("head", -1)])
def test_layer_or_head_that_is_not_there(sentences, checkpoints_dir, tmp_path, what, number):
    english, chinese = sentences(
        "figure", *REVIEW, "--view", "heatmap", f"--{what}", number, "--out", tmp_path / "x.html"
    )
    assert english == f"There is no {what} {number}: this model has the {what}s 1 to 2."
    assert str(number) in chinese
    assert not (tmp_path / "x.html").exists()


def test_text_is_never_markup_in_a_figure(answer, checkpoints_dir, tmp_path):
    for view in VIEWS:
        answer(
            "figure",
            "--task",
            "afqmc",
            "--text",
            "<img src=https://x>",
            "--text-b",
            "</script><b>花",
            "--view",
            view,
            "--out",
            tmp_path / "view.html",
        )
        html = (tmp_path / "view.html").read_text(encoding="utf-8")
        assert Links(html).found == [] and "</script><b>" not in html


@pytest.mark.process
@pytest.mark.browser
def test_svg_from_a_process_of_its_own(checkpoints_dir, tmp_path):
    out = tmp_path / "map.svg"
    run = module(
        "figure",
        *PAIR,
        "--view",
        "heatmap",
        "--out",
        str(out),
        "--json",
        "--lang",
        "zh",
        VIZ_CHECKPOINTS_DIR=str(checkpoints_dir),
        BROWSER_PATH=executable(),
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["out"] == str(out) and run.stdout.count("\n") == 1
    svg = out.read_text(encoding="utf-8")
    assert svg.startswith("<svg") and "花" in svg and "谁在看谁" in svg


@pytest.mark.parametrize(
    "arguments, english",
    [
        (
            ("figure", *REVIEW, "--view", "tokens", "--out", "{}/x.png"),
            "Cannot save a “.png” file here. Choose one of: .html.",
        ),
        (
            ("figure", *REVIEW, "--view", "explorer", "--out", "{}/x.png"),
            "Cannot save a “.png” file here. Choose one of: .html.",
        ),
        (
            ("figure", *REVIEW, "--view", "heatmap", "--out", "{}/x.bmp"),
            "Cannot save a “.bmp” file here. Choose one of: .html, .png, .svg.",
        ),
        (
            ("explain", *REVIEW, "--out", "{}/none/x.npz"),
            "The file {}/none/x.npz could not be written: No such file or directory.",
        ),
        (
            ("figure", *REVIEW, "--view", "heads", "--out", "{}/none/x.html"),
            "The file {}/none/x.html could not be written: No such file or directory.",
        ),
    ],
)
def test_files_that_cannot_be_written(sentences, checkpoints_dir, tmp_path, arguments, english):
    said, _ = sentences(*(argument.replace("{}", str(tmp_path)) for argument in arguments))
    assert said == english.replace("{}", str(tmp_path))


@pytest.mark.parametrize(
    "given, english",
    [
        (("--task", "imdb", "--text", " \n "), "The text is empty: type something to look at."),
        (("--task", "imdb", "--text", ""), "The text is empty: type something to look at."),
        (("--task", "imdb", "--text", "?!"), "The text holds no letter"),
        (("--task", "imdb", "--text", "a\udcff"), "The text holds half of a character at position 2"),
        (("--task", "imdb", "--text", "a", "--text-b", "b"), "The task imdb reads one text"),
        (("--task", "afqmc", "--text", "花呗"), "The task afqmc compares two sentences"),
        (("--task", "afqmc", "--text", "花呗", "--text-b", "\u3000"), "Sentence 2 is empty"),
        ((*REVIEW, "--model", "large"), "There is no model named “large” for the task imdb. At hand: tiny."),
        ((*REVIEW, "--model", "../afqmc/tiny"), "There is no model named “../afqmc/tiny”"),
        (("--task", "imdb", "--csv", "none.csv"), "The file none.csv could not be read as CSV: No such file"),
    ],
)
def test_bad_input_gets_a_sentence(sentences, checkpoints_dir, given, english):
    said, _ = sentences("predict", *given)
    assert said.startswith(english)


def test_every_command_that_needs_a_model_names_those_at_hand(sentences, checkpoints_dir, tmp_path):
    for arguments in (
        ("explain", *REVIEW, "--out", tmp_path / "x"),
        ("evaluate", "--task", "imdb"),
        ("figure", *REVIEW, "--view", "cls", "--out", tmp_path / "x.html"),
    ):
        assert all("tiny" in said for said in sentences(*arguments, "--model", "large"))


def test_without_any_model_the_way_to_one_is_shown(sentences, monkeypatch, tmp_path):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    assert all("python -m viz_core train --task imdb" in said for said in sentences("predict", *REVIEW))


@pytest.mark.process
def test_a_console_without_chinese_still_gets_valid_json(checkpoints_dir):
    environment = dict(VIZ_CHECKPOINTS_DIR=str(checkpoints_dir), PYTHONIOENCODING="ascii", LANG="zh_CN.UTF-8")
    given = ("predict", "--task", "afqmc", "--text", "花🙂", "--text-b", "呗")
    run = module(*given, "--json", **environment)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    found = json.loads(run.stdout)
    assert found["tokens"][1] == "花" and "🙂" in found["notices"][0] and "词表" in found["notices"][0]
