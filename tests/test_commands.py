"""The command line: what each command answers, and the sentence where it cannot."""

from __future__ import annotations

import ast
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.browser import executable
from tests.datasets.archives import REVIEWS, pair_files, tar, zipped
from tests.tiny import save_checkpoint
from viz_core import __main__, checkpoints
from viz_core.commands import VIEWS
from viz_core.datasets.imdb import IMDB

PROJECT = Path(__file__).parents[1]
REVIEW = ("--task", "imdb", "--text", "not a good film")
PAIR = ("--task", "afqmc", "--text", "花呗怎么还", "--text-b", "借呗如何还款")
TINY = ("--layers", "1", "--width", "16", "--heads", "2", "--feedforward", "16", "--epochs", "1", "--pretrain-epochs", "0",
        "--data", "sample", "--device", "cpu")
FIGURES = {"n", "accuracy", "auc", "mcc", "f1", "confusion", "majority_accuracy", "threshold", "ece", "ece_uncalibrated"}


@pytest.fixture
def call(monkeypatch, capsys):
    """Runs a command line; gives its exit code and what it wrote to stdout and to stderr."""
    def call(*arguments: str, lang: str = "en") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["python -m viz_core", *map(str, arguments), "--lang", lang])
        capsys.readouterr()
        code = __main__.main()
        return code, *capsys.readouterr()
    return call


@pytest.fixture
def answer(call):
    """What a command prints with `--json`: exactly one line, one document, which means the same without `--json`."""
    def answer(*arguments: str):
        code, out, _ = call(*arguments, "--json")
        assert code == 0
        assert out.endswith("\n") and out.count("\n") == 1
        return json.loads(out, parse_constant=pytest.fail)  # NaN is no JSON
    return answer


@pytest.fixture
def sentences(call):
    """The sentences, in English and Chinese, with which a command fails: exit code 1 and nothing on stdout."""
    def sentences(*arguments: str) -> tuple[str, str]:
        said = []
        for lang in ("en", "zh"):
            code, out, error = call(*arguments, lang=lang)
            assert (code, out) == (1, "")
            assert error.count("\n") == 1 and "Traceback" not in error
            said.append(error.strip())
            code, out, error = call(*arguments, "--json", lang=lang)
            assert (code, out, json.loads(error)) == (1, "", {"error": said[-1]})
        assert said[0] != said[1] and re.search("[\u4e00-\u9fff]", said[1])
        return said[0], said[1]
    return sentences


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of checkpoints with one that was trained on the sample, by the command line."""
    root = tmp_path_factory.mktemp("trained")
    run = module("train", "--task", "imdb", "--name", "mine", *TINY, "--json", VIZ_CHECKPOINTS_DIR=str(root))
    assert run.returncode == 0, run.stderr
    return root, run


def module(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-W", "error", "-m", "viz_core", *arguments], cwd=PROJECT, text=True,
                          encoding="utf-8", capture_output=True, env={**os.environ, **environment})


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


@pytest.mark.parametrize("given, labels, tokens", [
    (REVIEW, ["negative", "positive"], ["[CLS]", "not", "a", "good", "film", "[SEP]"]),
    (PAIR, ["different", "same"], ["[CLS]", *"花呗怎么还", "[SEP]", *"借呗如何还款", "[SEP]"])])
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
        notice, = ast.literal_eval(call("predict", "--task", "imdb", "--text", "a zebra", lang=lang)[1])["notices"]
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
    assert answer("predict", *REVIEW, "--model", "another")["notices"][0].startswith("This model is shown as a bad example")


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
    answer("figure", *REVIEW, "--view", "heatmap", "--layer", "2", "--head", "1", "--scale", "log", "--dark", "--out", out)
    assert "layer 2, head 1" in out.read_text(encoding="utf-8")
    answer("figure", *REVIEW, "--view", "heatmap", "--out", out)
    assert "mean over all layers and heads" in out.read_text(encoding="utf-8")


def test_the_explorer_begins_with_the_head_that_was_asked_for(answer, checkpoints_dir, tmp_path):
    for arguments, head in ((("--layer", "2", "--head", "1"), "2.1"), (("--layer", "2"), "2.*"), ((), "*.*")):
        answer("figure", *PAIR, "--view", "explorer", *arguments, "--scale", "log", "--out", tmp_path / "x.html")
        data, = re.findall(r'id="explorer-data">([^<]+)<', (tmp_path / "x.html").read_text(encoding="utf-8"))
        packed = zlib.decompress(base64.b64decode(data))
        header = json.loads(packed[4:4 + int.from_bytes(packed[:4], "little")])
        assert header["selection"] == {"head": head, "scale": "log"}
        assert header["request"] is None and len(header["sent"]) == header["layers"] * header["heads"]


@pytest.mark.parametrize("what, number", [("layer", 0), ("layer", 3), ("head", 0), ("head", 3), ("head", -1)])
def test_layer_or_head_that_is_not_there(sentences, checkpoints_dir, tmp_path, what, number):
    english, chinese = sentences("figure", *REVIEW, "--view", "heatmap", f"--{what}", number, "--out", tmp_path / "x.html")
    assert english == f"There is no {what} {number}: this model has the {what}s 1 to 2."
    assert str(number) in chinese
    assert not (tmp_path / "x.html").exists()


def test_text_is_never_markup_in_a_figure(answer, checkpoints_dir, tmp_path):
    for view in VIEWS:
        answer("figure", "--task", "afqmc", "--text", "<img src=https://x>", "--text-b", "</script><b>花", "--view", view,
               "--out", tmp_path / "view.html")
        html = (tmp_path / "view.html").read_text(encoding="utf-8")
        assert Links(html).found == [] and "</script><b>" not in html


@pytest.mark.browser
def test_svg_from_a_process_of_its_own(checkpoints_dir, tmp_path):
    out = tmp_path / "map.svg"
    run = module("figure", *PAIR, "--view", "heatmap", "--out", str(out), "--json", "--lang", "zh",
                 VIZ_CHECKPOINTS_DIR=str(checkpoints_dir), BROWSER_PATH=executable())
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["out"] == str(out) and run.stdout.count("\n") == 1
    svg = out.read_text(encoding="utf-8")
    assert svg.startswith("<svg") and "花" in svg and "谁在看谁" in svg


@pytest.mark.parametrize("arguments, english", [
    (("figure", *REVIEW, "--view", "tokens", "--out", "{}/x.png"), "Cannot save a “.png” file here. Choose one of: .html."),
    (("figure", *REVIEW, "--view", "explorer", "--out", "{}/x.png"), "Cannot save a “.png” file here. Choose one of: .html."),
    (("figure", *REVIEW, "--view", "heatmap", "--out", "{}/x.bmp"),
     "Cannot save a “.bmp” file here. Choose one of: .html, .png, .svg."),
    (("explain", *REVIEW, "--out", "{}/none/x.npz"),
     "The file {}/none/x.npz could not be written: No such file or directory."),
    (("figure", *REVIEW, "--view", "heads", "--out", "{}/none/x.html"),
     "The file {}/none/x.html could not be written: No such file or directory."),
])
def test_files_that_cannot_be_written(sentences, checkpoints_dir, tmp_path, arguments, english):
    said, _ = sentences(*(argument.replace("{}", str(tmp_path)) for argument in arguments))
    assert said == english.replace("{}", str(tmp_path))


@pytest.mark.parametrize("given, english", [
    (("--task", "imdb", "--text", " \n "), "The text is empty: type something to look at."),
    (("--task", "imdb", "--text", ""), "The text is empty: type something to look at."),
    (("--task", "imdb", "--text", "?!"), "The text holds no letter"),
    (("--task", "imdb", "--text", "a\udcff"), "The text holds half of a character at position 2"),
    (("--task", "imdb", "--text", "a", "--text-b", "b"), "The task imdb reads one text"),
    (("--task", "afqmc", "--text", "花呗"), "The task afqmc compares two sentences"),
    (("--task", "afqmc", "--text", "花呗", "--text-b", "\u3000"), "Sentence 2 is empty"),
    ((*REVIEW, "--model", "large"), "There is no model named “large” for the task imdb. At hand: tiny."),
    ((*REVIEW, "--model", "../afqmc/tiny"), "There is no model named “../afqmc/tiny”"),
    (("--task", "imdb", "--csv", "none.csv"), "The file none.csv could not be read as CSV in UTF-8: No such file"),
])
def test_bad_input_gets_a_sentence(sentences, checkpoints_dir, given, english):
    said, _ = sentences("predict", *given)
    assert said.startswith(english)


def test_every_command_that_needs_a_model_names_those_at_hand(sentences, checkpoints_dir, tmp_path):
    for arguments in (("explain", *REVIEW, "--out", tmp_path / "x"), ("evaluate", "--task", "imdb"),
                      ("figure", *REVIEW, "--view", "cls", "--out", tmp_path / "x.html")):
        assert all("tiny" in said for said in sentences(*arguments, "--model", "large"))


def test_without_any_model_the_way_to_one_is_shown(sentences, monkeypatch, tmp_path):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    assert all("python -m viz_core train --task imdb" in said for said in sentences("predict", *REVIEW))


def test_train_writes_a_model_and_tells_each_epoch(trained):
    root, run = trained
    found = json.loads(run.stdout)
    assert (found["model"], found["data"], found["n"]) == ("mine", "sample", 48)
    assert run.stdout.count("\n") == 1
    epoch = json.loads(run.stderr)
    assert (epoch["phase"], epoch["epoch"]) == ("train", 1)
    checkpoint = checkpoints.load("imdb", "mine", root)
    assert (checkpoint.settings.encoder.layers, checkpoint.settings.encoder.width) == (1, 16)
    assert checkpoint.metrics["validation"]["accuracy"] == found["accuracy"]
    assert checkpoint.metrics["command"].startswith("python -m viz_core train --task imdb --name mine --layers 1")


@pytest.mark.parametrize("options, english", [
    (("--width", "30", "--heads", "4"), "The training cannot start with these settings: width 30 is not divisible by 4 heads."),
    (("--epochs", "0"), "The training cannot start with these settings: epochs (0) and batch (32) must be at least 1."),
    (("--dropout", "1"), "The training cannot start with these settings: dropout is 1.0"),
    (("--preset", "huge"), "There is no preset named huge. There are: small, course."),
    (("--device", "abacus"), "The device “abacus” cannot be used: "),
    (("--name", "../mine"), "“../mine” cannot be the name of a model"),
    (("--data", "full"), "The corpus imdb is not at hand"),
])
def test_training_that_cannot_start_says_why(sentences, checkpoints_dir, options, english):
    said, _ = sentences("train", "--task", "imdb", "--data", "sample", *options)
    assert said.startswith(english)
    assert sorted(file.name for file in (checkpoints_dir / "imdb").iterdir()) == ["tiny"], "nothing was written"


@pytest.mark.parametrize("split", ["validation", "test"])
def test_evaluate_on_the_sample(answer, trained, monkeypatch, split):
    root, run = trained
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(root))
    found = answer("evaluate", "--task", "imdb", "--model", "mine", "--split", split)
    assert set(found) == {"task", "model", "data", "split", *FIGURES}
    assert (found["data"], found["split"], found["n"]) == ("sample", split, 48)
    if split == "validation":
        assert found["accuracy"] == json.loads(run.stdout)["accuracy"], "as said when it was trained"


def test_recorded_figures_of_the_test_stand_in_metrics_and_card(answer, trained, monkeypatch, tmp_path):
    shutil.copytree(trained[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    folder = tmp_path / "copy" / "imdb" / "mine"
    before = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert "test" not in (folder / checkpoints.CARD).read_text(encoding="utf-8").split("## Figures")[1].split("##")[0]
    found = answer("evaluate", "--task", "imdb", "--model", "mine", "--split", "test", "--record")
    after = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))
    assert {name: after[name] for name in FIGURES} == {name: found[name] for name in FIGURES}
    assert after["split"] == "test" and {name: after[name] for name in before} == before, "what was there stays"
    card = (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert "| | validation | test |" in card and f"| {found['accuracy']:.4f} |\n" in card
    assert after["command"] in card


def test_only_the_test_of_its_own_corpus_is_recorded(sentences, trained, monkeypatch, tmp_path):
    shutil.copytree(trained[0], tmp_path / "copy")
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "copy"))
    evaluate = ("evaluate", "--task", "imdb", "--model", "mine", "--record")
    metrics = tmp_path / "copy" / "imdb" / "mine" / checkpoints.METRICS
    before = metrics.read_bytes()
    assert "--split test" in sentences(*evaluate)[0]
    assert "--data sample" in sentences(*evaluate, "--split", "test", "--data", "full")[1]
    assert metrics.read_bytes() == before


def test_data_status_tells_what_is_at_hand(answer, call, tmp_path):
    assert answer("data", "status") == {"imdb": None, "afqmc": None}
    file = zipped(tmp_path / "data" / "afqmc_public.zip", pair_files())
    assert answer("data", "status", "--task", "afqmc") == {"afqmc": str(file)}
    assert answer("data", "download", "--task", "afqmc") == {"afqmc": str(file)}, "what is at hand is not fetched again"


def test_data_verify_names_everything_that_is_wrong(sentences, tmp_path):
    assert all("aclImdb_v1.tar.gz" in said for said in sentences("data", "verify", "--task", "imdb"))
    zipped(tmp_path / "data" / "afqmc_public.zip", pair_files())
    english, chinese = sentences("data", "verify", "--task", "afqmc")
    for said in (english, chinese):
        assert "34,334" in said and "dev.json" in said


def test_data_verify_gives_the_published_counts(answer, monkeypatch, tmp_path):
    counts = {"train": 6, "test": 2, "unlabelled": 1}
    tar(tmp_path / "data" / "aclImdb_v1.tar.gz", REVIEWS)
    monkeypatch.setitem(vars(IMDB), "published", counts)  # a frozen dataclass takes no setattr
    assert answer("data", "verify", "--task", "imdb") == {"imdb": counts}


@pytest.mark.parametrize("models", [True, False], ids=["with a model's tokenizer", "with a new tokenizer"])
def test_data_batch_is_what_an_encoder_gets(answer, checkpoints_dir, monkeypatch, tmp_path, models):
    if not models:
        monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "none"))
    batches = answer("data", "batch", "--size", "3")
    assert [(one["task"], one["data"]) for one in batches] == [("imdb", "sample"), ("afqmc", "sample")]
    for batch in batches:
        ids, segments, mask = (np.array(batch[name]) for name in ("ids", "segments", "mask"))
        assert ids.shape == segments.shape == mask.shape and len(ids) == 3 == len(batch["labels"])
        assert (ids[~mask] == 0).all() and (segments[~mask] == 0).all() and mask[:, 0].all()
        for row, real in zip(batch["decoded"], mask.sum(1), strict=True):
            assert row.startswith("[CLS] ") and row.count("[PAD]") == mask.shape[1] - real
        assert set(segments[mask]) == ({0, 1} if batch["task"] == "afqmc" else {0})


def test_data_batch_reads_an_archive_at_hand(answer, checkpoints_dir, tmp_path):
    zipped(tmp_path / "data" / "afqmc_public.zip", pair_files())
    batch, = answer("data", "batch", "--task", "afqmc", "--size", "1")
    assert batch["data"] == "full"
    batch, = answer("data", "batch", "--task", "afqmc", "--data", "sample", "--size", "1")
    assert batch["data"] == "sample"


@pytest.mark.parametrize("size", ["0", "-1"])
def test_data_batch_has_at_least_one_row(sentences, checkpoints_dir, size):
    assert sentences("data", "batch", "--size", size)[0] == f"A mini-batch has at least 1 row, not {size}."


def test_a_console_without_chinese_still_gets_valid_json(checkpoints_dir):
    environment = dict(VIZ_CHECKPOINTS_DIR=str(checkpoints_dir), PYTHONIOENCODING="ascii", LANG="zh_CN.UTF-8")
    given = ("predict", "--task", "afqmc", "--text", "花🙂", "--text-b", "呗")
    run = module(*given, "--json", **environment)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    found = json.loads(run.stdout)
    assert found["tokens"][1] == "花" and "🙂" in found["notices"][0] and "词表" in found["notices"][0]
