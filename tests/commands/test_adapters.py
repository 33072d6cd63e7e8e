"""`--model path:…`: models from elsewhere on the command line."""

import json

import numpy as np
import pytest

from tests.adapters.test_opening import save_model
from tests.adapters.tiny_translators import save_translator
from tests.words import says
from viz_core.adapters import opening

pytestmark = pytest.mark.process  # tokenizers are tried out in processes of their own


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("elsewhere")
    return {
        "classifier": save_model(root / "classifier"),
        "base": save_model(root / "base", kind="Model"),
        "t5": save_translator(root / "t5"),
    }


def test_predict_needs_no_task_for_a_model_from_elsewhere(json_output, folders):
    output = json_output(
        "predict", "--model", f"path:{folders['classifier']}", "--text", "the cat", "--text-b", "a mat"
    )
    assert (output["model"], output["threshold"]) == ("classifier", None)
    assert output["tokens"] == ["[CLS]", "the", "cat", "[SEP]", "a", "mat", "[SEP]"]
    assert output["label"] == max(output["probabilities"], key=output["probabilities"].get)
    assert sum(output["probabilities"].values()) == pytest.approx(1)


def test_explain_writes_the_attention_of_a_model_without_a_prediction(json_output, folders, tmp_path):
    out = tmp_path / "x.npz"
    output = json_output("explain", "--model", f"path:{folders['base']}", "--text", "the cat", "--out", out)
    assert (output["attention"], output["label"], output["probabilities"]) == ([3, 4, 4, 4], None, {})
    with np.load(out) as file:
        np.testing.assert_allclose(file["attention"].sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize("view", ["explorer", "heatmap", "heads", "cls", "text", "tokens"])
def test_figures_are_drawn_without_a_prediction(json_output, folders, tmp_path, view):
    out = tmp_path / "view.html"
    arguments = ["--text", "the unbelievably good film", "--text-b", "a mat", "--out", out]
    json_output("figure", "--model", f"path:{folders['base']}", "--view", view, *arguments)
    assert "base" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("view", ["lens", "plane", "order", "order_attention"])
def test_the_inside_of_a_model_from_elsewhere_is_drawn(json_output, folders, tmp_path, view):
    out = tmp_path / "view.html"
    arguments = ["--view", view, "--text", "the unbelievably good film", "--out", out]
    json_output("figure", "--model", f"path:{folders['classifier']}", *arguments)
    assert out.stat().st_size > 1000


@pytest.mark.parametrize("view", ["text", "heatmap", "tokens", "explorer"])
def test_characters_of_several_tokens_are_drawn(json_output, tmp_path, view):
    folder, out = save_model(tmp_path / "bytes", "roberta"), tmp_path / "view.html"
    json_output("figure", "--model", f"path:{folder}", "--view", view, "--text", "café 花🙂 sat", "--out", out)
    assert out.stat().st_size > 1000


@pytest.mark.parametrize("command", [("predict", "--csv", "rows.csv"), ("figure", "--view", "probabilities")])
def test_what_needs_a_prediction_is_refused_without_one(call, folders, tmp_path, command):
    (tmp_path / "rows.csv").write_text("text\nthe cat\n")
    name, flag, value = command
    arguments = (
        [flag, tmp_path / value] if name == "predict" else [flag, value, "--text", "a", "--out", tmp_path / "x.html"]
    )
    code, _, error = call(name, "--model", f"path:{folders['base']}", *arguments)
    assert code == 1 and says(error, "rendering.no_prediction")


def test_rows_of_a_file_are_predicted(json_output, folders, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("text\nthe cat\na mat\n")
    rows = json_output("predict", "--model", f"path:{folders['classifier']}", "--csv", file)
    single = json_output("predict", "--model", f"path:{folders['classifier']}", "--text", "a mat")
    assert rows[1]["probabilities"] == pytest.approx(single["probabilities"], abs=1e-5)


def test_a_large_model_is_opened_when_that_is_accepted(call, folders, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1000)
    arguments = ("predict", "--model", f"path:{folders['classifier']}", "--text", "the cat", "--json")
    code, _, error = call(*arguments)
    assert code == 1 and json.loads(error)["message"]["key"] == "cli.large_model"
    code, out, _ = call(*arguments, "--accept-large")
    assert code == 0 and json.loads(out)["model"] == "classifier"


def test_without_a_task_the_command_asks_for_it(call):
    code, _, error = call("predict", "--text", "the cat")
    assert code == 1 and says(error, "cli.no_task") and "imdb" in error


def test_a_model_from_text_to_text_translates(json_output, folders):
    arguments = ["--model", f"path:{folders['t5']}", "--text", "the cat sat"]
    greedy, beam = json_output("translate", *arguments), json_output("translate", *arguments, "--beam", 2)
    assert greedy["model"] == "t5" and len(greedy["tokens"]) == 31 and not greedy["complete"]
    assert beam["log_probability"] >= greedy["log_probability"] - 1e-4


def test_its_three_attentions_are_written_and_drawn(json_output, folders, tmp_path):
    arguments = ["--model", f"path:{folders['t5']}", "--text", "the cat sat", "--text-b", "die Katze"]
    output = json_output("explain", *arguments, "--out", tmp_path / "x.npz")
    assert output["attention"] == {"self": [3, 4, 4, 4], "causal": [3, 4, 3, 3], "cross": [3, 4, 3, 4]}
    for view in ("explorer", "heatmap", "heads"):
        drawn = json_output("figure", *arguments, "--view", view, "--out", tmp_path / "view.html")
        assert drawn["translation"] == "die Katze" and "Katze" in (tmp_path / "view.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command, model, key, values",
    [
        (("predict",), "t5", "cli.no_such_verb", {"verbs": "translate, explain, figure, patch"}),
        (("figure", "--view", "lens", "--out", "x.html"), "t5", "cli.no_such_view", {"view": "lens"}),
        (("translate",), "base", "cli.no_such_verb", {"verbs": "predict, explain, figure, whatif, patch"}),
    ],
)
def test_what_a_model_does_not_do_is_refused_in_a_sentence(call, folders, command, model, key, values):
    name, *options = command
    code, _, error = call(name, "--model", f"path:{folders[model]}", "--text", "the cat", *options)
    assert code == 1 and says(error, key, **values)
