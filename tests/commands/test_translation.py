"""The command line with a translation: trained on the sample, listed, and not offered where texts are classified."""

import json
import shutil

import pytest
from safetensors.torch import load_file, save_file

from tests.commands.command_line import run_module
from tests.commands.test_training import end_processes
from tests.words import english
from viz_core import __main__, checkpoints
from viz_core.evidence.ledger import read_ledger
from viz_core.jobs import runs
from viz_core.text.building import SEP

TINY = ("--layers", "1", "--width", "16", "--heads", "2", "--feedforward", "16", "--epochs", "1", "--device", "cpu")


@pytest.fixture(scope="module")
def trained_model(tmp_path_factory):
    """Folders with a translation trained on the sample and with its run, and the finished process."""
    root, folder = tmp_path_factory.mktemp("checkpoints"), tmp_path_factory.mktemp("runs")
    environment = dict(VIZ_CHECKPOINTS_DIR=str(root), VIZ_RUNS_DIR=str(folder), VIZ_RUNS_FREE_MB="1")
    options = ("--task", "tatoeba", "--data", "sample", "--name", "mine", *TINY)
    process = run_module("train", *options, "--json", **environment)
    end_processes(folder)
    assert process.returncode == 0, process.stderr
    return root, folder, process


@pytest.mark.process
def test_a_translation_is_trained_and_saved(trained_model):
    root, _, process = trained_model
    figures, evaluation = json.loads(process.stdout), json.loads(process.stderr.splitlines()[-1])
    assert (figures["model"], figures["data"], figures["n"], figures["decoding"]) == ("mine", "sample", 40, "greedy")
    assert evaluation["bleu"] == figures["bleu"] and evaluation["step"] == 5
    assert checkpoints.load("tatoeba", "mine", root).model.attention_kinds == ("self", "causal", "cross")


@pytest.mark.process
def test_its_run_is_listed_and_its_alignment_is_queued(trained_model, monkeypatch, capsys):
    monkeypatch.setenv("VIZ_RUNS_DIR", str(trained_model[1]))
    evidence, run = runs.list_runs()  # the newest first
    assert run.request.kind == "train" and run.status.state == "finished"
    assert evidence.request.settings["pass"] == "alignment"
    monkeypatch.setattr("sys.argv", ["viz_core", "runs", "list", "--json"])
    assert __main__.main() == 0
    _, row = json.loads(capsys.readouterr().out)
    assert row["task"] == "tatoeba" and set(row["best"]) == {"epoch", "token_accuracy", "bleu", "chrf"}


def test_a_mini_batch_is_source_and_target(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["viz_core", "data", "batch", "--task", "tatoeba", "--data", "sample", "--json"])
    assert __main__.main() == 0
    (batch,) = json.loads(capsys.readouterr().out)
    assert "labels" not in batch and len(batch["ids"]) == 4
    assert all(row.count("[SEP]") == 2 and row.startswith("[CLS]") for row in batch["decoded"])


@pytest.fixture
def translate(trained_model, monkeypatch, capsys):
    """Calls the command `translate` with these options; returns its exit code, its output and its error."""

    def call(*options: str):
        monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(trained_model[0]))
        monkeypatch.setattr("sys.argv", ["viz_core", "translate", *options, "--json", "--lang", "en"])
        code = __main__.main()
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if captured.out else None, captured.err

    return call


@pytest.mark.process
def test_a_sentence_is_translated_in_three_ways(translate):
    text = ("--text", "我们明天去学校。")
    results = [translate(*text, *options)[1] for options in ((), ("--beam", "3"), ("--beam", "1"))]
    assert {result["model"] for result in results} == {"mine"} and results[0]["notices"] == []
    assert results[2]["tokens"] == results[0]["tokens"]  # a beam of 1 is greedy
    samples = [translate(*text, "--temperature", "2", "--seed", seed)[1] for seed in "112"]
    assert samples[0] == samples[1] != samples[2]
    assert all(result["complete"] or len(result["tokens"]) == 95 for result in results + samples)


@pytest.mark.process
def test_what_is_not_read_is_named(translate):
    assert "zoology" in translate("--text", "我们 zoology。")[1]["notices"][0]
    assert "500" in translate("--text", "我" * 500)[1]["notices"][0]


@pytest.mark.process
@pytest.mark.parametrize(
    "options, key",
    [
        (("--text", " "), "text.blank"),
        (("--text", "我", "--beam", "0"), "cli.bad_decoding"),
        (("--text", "我", "--temperature", "0"), "cli.bad_decoding"),
        (("--text", "我", "--model", "other"), "checkpoints.missing"),
    ],
)
def test_what_cannot_be_translated_is_said(translate, options, key):
    code, output, error = translate(*options)
    assert code and output is None and json.loads(error)["message"]["key"] == key


@pytest.mark.process
def test_it_is_measured_beside_a_baseline_and_a_reading_of_the_test_is_in_the_ledger(
    trained_model, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(shutil.copytree(trained_model[0], tmp_path / "checkpoints")))
    folder = tmp_path / "checkpoints/tatoeba/mine"
    weights = load_file(folder / checkpoints.WEIGHTS)
    weights["output_bias"][SEP] = 3  # hardly trained, it would seldom end
    save_file(weights, folder / checkpoints.WEIGHTS)

    def evaluate(split: str) -> dict:
        options = ("--task", "tatoeba", "--model", "mine", "--data", "sample", "--split", split, "--record", "--json")
        monkeypatch.setattr("sys.argv", ["viz_core", "evaluate", "--lang", "en", *options])
        assert __main__.main() == 0
        return json.loads(capsys.readouterr().out)

    before = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))["validation"]
    validation = evaluate("validation")
    assert not read_ledger() and (validation["n"], validation["beam"], validation["incomplete"]) == (40, 4, 0)
    assert validation["retrieval_bleu"] > 0
    assert validation["note"] == english("cli.checkpoint_chosen_on_validation")
    saved = json.loads((folder / checkpoints.METRICS).read_text(encoding="utf-8"))["validation"]
    assert saved["token_accuracy"] == before["token_accuracy"] and saved["beam_chrf"] == validation["beam_chrf"]
    test = evaluate("test")
    (reading,) = read_ledger()
    assert reading.figures.to_dict() == {name: test[name] for name in reading.figures.to_dict()}
    card = (folder / checkpoints.CARD).read_text(encoding="utf-8")
    assert f"| retrieval_bleu | {validation['retrieval_bleu']:.1f} | {test['retrieval_bleu']:.1f} |" in card
    assert "read once" in card and "| BLEU | BLEU, beam search | BLEU, retrieval |" in card


@pytest.mark.parametrize("command", ["predict", "probe"])
def test_commands_that_classify_do_not_offer_it(monkeypatch, capsys, command):
    monkeypatch.setattr("sys.argv", ["viz_core", command, "--task", "tatoeba", "--model", "mine", "--text", "我"])
    with pytest.raises(SystemExit):
        __main__.main()
    assert "invalid choice: 'tatoeba'" in capsys.readouterr().err
