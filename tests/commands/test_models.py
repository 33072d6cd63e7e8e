"""The commands that use models: their output and their errors."""

import ast
import base64
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.browser import executable
from tests.commands.command_line import PAIR, REVIEW, drawn, run_module
from tests.tiny import save_bag, save_checkpoint
from tests.words import english, says
from viz_core import checkpoints
from viz_core.commands.classification import VIEWS
from viz_core.language import LANGUAGES
from viz_core.records import Message


def test_models_lists_config_and_metrics(json_output, checkpoints_dir):
    output = json_output("models")
    assert [(model["task"], model["model"]) for model in output] == [("imdb", "tiny"), ("afqmc", "tiny")]
    assert (output[0]["layers"], output[0]["width"], output[0]["validation"]) == (2, 8, {"accuracy": 0.5})


def test_models_names_a_damaged_checkpoint_on_stderr(call, checkpoints_dir):
    (checkpoints_dir / "imdb" / "tiny" / checkpoints.CONFIG).write_text("{", encoding="utf-8")
    code, out, error = call("models", "--json")
    assert code == 0
    assert [model["task"] for model in json.loads(out)] == ["afqmc"]
    assert "imdb/tiny" in error


@pytest.mark.parametrize(
    "arguments, labels, tokens",
    [
        (REVIEW, ["negative", "positive"], ["[CLS]", "not", "a", "good", "film", "[SEP]"]),
        (PAIR, ["different", "same"], ["[CLS]", *"花呗怎么还", "[SEP]", *"借呗如何还款", "[SEP]"]),
    ],
)
def test_predict_output_has_the_documented_form(json_output, checkpoints_dir, arguments, labels, tokens):
    output = json_output("predict", *arguments)
    assert list(output) == ["model", "label", "probabilities", "threshold", "tokens", "notices"]
    assert (output["model"], output["threshold"]) == ("tiny", 0.4)
    assert list(output["probabilities"]) == labels
    assert sum(output["probabilities"].values()) == pytest.approx(1)
    assert output["label"] == labels[output["probabilities"][labels[1]] >= 0.4]
    assert (output["tokens"], output["notices"]) == (tokens, [])


def test_predict_writes_notices_in_the_selected_language(call, checkpoints_dir):
    for lang in LANGUAGES:
        (notice,) = ast.literal_eval(call("predict", "--task", "imdb", "--text", "a zebra", lang=lang)[1])["notices"]
        assert says(notice, "text.unknown", lang, tokens="zebra")


def test_predict_reads_a_csv_file(json_output, checkpoints_dir, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("sentence1,sentence2\n花呗怎么还,借呗如何还款\n花呗,龘\n", encoding="utf-8-sig")
    first, second = json_output("predict", "--task", "afqmc", "--csv", file)
    single = json_output("predict", *PAIR)
    assert first["probabilities"] == pytest.approx(single.pop("probabilities"), abs=1e-5)
    assert {**first, "probabilities": None} == {**single, "probabilities": None}
    assert "龘" in second["notices"][0]


def test_without_json_the_same_output_is_formatted_for_people(call, json_output, checkpoints_dir):
    _, out, _ = call("predict", *PAIR)
    assert ast.literal_eval(out) == json_output("predict", *PAIR)
    assert "花" in out and max(map(len, out.splitlines())) <= 120


def test_default_is_the_first_model_without_a_caution(json_output, checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "another", caution="checkpoints.collapsed")
    assert json_output("predict", *REVIEW)["model"] == "tiny"
    assert json_output("predict", *REVIEW, "--model", "another")["notices"][0] == english("checkpoints.collapsed")


def test_explain_writes_attention(json_output, checkpoints_dir, tmp_path):
    out = tmp_path / "x.npz"
    output = json_output("explain", *PAIR, "--out", out)
    assert (output["attention"], output["out"], output["model"]) == ([2, 2, 14, 14], str(out), "tiny")
    with np.load(out) as file:
        np.testing.assert_allclose(file["attention"].sum(-1), 1, atol=1e-6)
        assert file["probabilities"].tolist() == list(output["probabilities"].values())


class Links(HTMLParser):
    """The values of src, href and similar attributes in a document; scripts are ignored."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links = []
        self.feed(html)

    def handle_starttag(self, tag, attributes) -> None:
        self.links += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data", "action")]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_becomes_html_that_needs_no_network(json_output, checkpoints_dir, tmp_path, view):
    out = tmp_path / "view.html"
    output = json_output("figure", *PAIR, "--view", view, "--layer", "2", "--head", "1", "--out", out)
    assert (output["view"], output["out"], output["model"]) == (view, str(out), "tiny")
    html = out.read_text(encoding="utf-8")
    assert Links(html).links == []
    assert not re.search(r"@import|url\(\s*['\"]?https?:", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL))
    assert "花" in drawn(out) or view in ("probabilities", "lens", "order")


def test_layer_and_head_count_from_1_and_are_named_on_the_figure(json_output, checkpoints_dir, tmp_path):
    out = tmp_path / "view.html"
    json_output(
        "figure", *REVIEW, "--view", "heatmap", "--layer", "2", "--head", "1", "--scale", "log", "--dark", "--out", out
    )
    assert english("analysis.of_head", layer=2, head=1) in drawn(out)
    json_output("figure", *REVIEW, "--view", "heatmap", "--out", out)
    assert english("analysis.of_everything") in drawn(out)


def test_explorer_opens_with_the_selected_head(json_output, checkpoints_dir, tmp_path):
    for arguments, head in ((("--layer", "2", "--head", "1"), "2.1"), (("--layer", "2"), "2.*"), ((), "*.*")):
        json_output("figure", *PAIR, "--view", "explorer", *arguments, "--scale", "log", "--out", tmp_path / "x.html")
        (data,) = re.findall(r'id="explorer-data">([^<]+)<', (tmp_path / "x.html").read_text(encoding="utf-8"))
        packed = zlib.decompress(base64.b64decode(data))
        header = json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])
        assert header["selection"] == {"head": head, "scale": "log", "limit": "full"}
        assert header["request"] is None and len(header["sent"]) == header["layers"] * header["heads"]


@pytest.mark.parametrize("what, number", [("layer", 0), ("layer", 3), ("head", 0), ("head", 3), ("head", -1)])
def test_layer_or_head_that_does_not_exist(error_sentences, checkpoints_dir, tmp_path, what, number):
    arguments = ("figure", *REVIEW, "--view", "heatmap", f"--{what}", number, "--out", tmp_path / "x.html")
    assert error_sentences(*arguments)[0] == english(f"cli.no_such_{what}", number=number, count=2)
    assert not (tmp_path / "x.html").exists()


def test_text_is_never_markup_in_a_figure(json_output, checkpoints_dir, tmp_path):
    for view in VIEWS:
        json_output(
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
        assert Links(html).links == [] and "</script><b>" not in html


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.browser
def test_svg_from_a_separate_process(checkpoints_dir, tmp_path):
    out = tmp_path / "map.svg"
    run = run_module(
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
    assert svg.startswith("<svg") and "花" in svg and says(svg, "analysis.title_map", "zh")


@pytest.mark.parametrize(
    "arguments, file, formats",
    [
        (("figure", *REVIEW, "--view", "tokens"), "x.png", ".html"),
        (("figure", *REVIEW, "--view", "explorer"), "x.png", ".html"),
        (("figure", *REVIEW, "--view", "heatmap"), "x.bmp", ".html, .png, .svg"),
        (("explain", *REVIEW), "none/x.npz", None),
        (("figure", *REVIEW, "--view", "heads"), "none/x.html", None),
    ],
)
def test_files_that_cannot_be_written(error_sentences, checkpoints_dir, tmp_path, arguments, file, formats):
    out = tmp_path / file
    unknown = english("rendering.unknown_format", suffix=out.suffix, formats=formats)
    unwritable = english("cli.not_writable", file=out, reason="No such file or directory")
    assert error_sentences(*arguments, "--out", out)[0] == (unknown if formats else unwritable)


@pytest.mark.parametrize(
    "arguments, key, values",
    [
        (("--task", "imdb", "--text", " \n "), "text.blank", {"where": Message("text.the_text")}),
        (("--task", "imdb", "--text", ""), "text.blank", {"where": Message("text.the_text")}),
        (("--task", "imdb", "--text", "?!"), "text.no_words", {"where": Message("text.the_text")}),
        (("--task", "imdb", "--text", "a\udcff"), "text.not_unicode", {"position": 2}),
        (("--task", "imdb", "--text", "a", "--text-b", "b"), "analysis.needs_single", {"task": "imdb"}),
        (("--task", "afqmc", "--text", "花呗"), "analysis.needs_pair", {"task": "afqmc"}),
        (("--task", "afqmc", "--text", "花呗", "--text-b", "\u3000"), "text.blank", {}),
        ((*REVIEW, "--model", "large"), "checkpoints.missing", {"name": "large", "task": "imdb", "known": "tiny"}),
        ((*REVIEW, "--model", "../afqmc/tiny"), "checkpoints.missing", {"name": "../afqmc/tiny"}),
        (("--task", "imdb", "--csv", "none.csv"), "analysis.csv_unreadable", {"file": "none.csv"}),
    ],
)
def test_invalid_input_is_explained(error_sentences, checkpoints_dir, arguments, key, values):
    assert says(error_sentences("predict", *arguments)[0], key, **values)


def test_every_command_that_needs_a_model_names_the_available_models(error_sentences, checkpoints_dir, tmp_path):
    for arguments in (
        ("explain", *REVIEW, "--out", tmp_path / "x"),
        ("evaluate", "--task", "imdb"),
        ("figure", *REVIEW, "--view", "cls", "--out", tmp_path / "x.html"),
    ):
        assert all("tiny" in sentence for sentence in error_sentences(*arguments, "--model", "large"))


def test_without_any_model_the_error_says_how_to_train_a_model(error_sentences, monkeypatch, tmp_path):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    for language, sentence in zip(LANGUAGES, error_sentences("predict", *REVIEW), strict=True):
        assert says(sentence, "checkpoints.no_models", language, task="imdb")


@pytest.mark.slow
@pytest.mark.process
def test_console_without_chinese_still_receives_valid_json(checkpoints_dir):
    environment = dict(VIZ_CHECKPOINTS_DIR=str(checkpoints_dir), PYTHONIOENCODING="ascii", LANG="zh_CN.UTF-8")
    arguments = ("predict", "--task", "afqmc", "--text", "花🙂", "--text-b", "呗")
    run = run_module(*arguments, "--json", **environment)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    output = json.loads(run.stdout)
    assert (
        output["tokens"][1] == "花"
        and "🙂" in output["notices"][0]
        and says(output["notices"][0], "text.unknown", "zh")
    )


@pytest.mark.parametrize("arguments", [("figure", "--view", view) for view in VIEWS] + [("explain",)], ids=" ".join)
def test_what_shows_attention_is_refused_where_there_is_none(call, checkpoints_dir, tmp_path, arguments):
    save_bag(checkpoints_dir, "bag", 20.0)
    out, (name, *view) = tmp_path / "view.html", arguments
    code, _, error = call(name, "--task", "imdb", "--model", "bag", "--text", "a good film", *view, "--out", out)
    if view[1:] in (["probabilities"], ["tokens"]):
        assert code == 0 and "bag" in out.read_text(encoding="utf-8")
    else:
        assert code == 1 and not out.exists()
        assert error.strip() == english("cli.no_attention", model="bag", views="probabilities, tokens")
