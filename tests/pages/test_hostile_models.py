"""Hostile models beside good ones: the good models work, each hostile one has a sentence of its own."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from pages.shared.cache import explain_input, warm_up
from pages.shared.models import find_model
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.checkpoints import CARD, CONFIG, METRICS, TOKENIZER, WEIGHTS
from viz_core.evidence import alignment, faithfulness, health, importance, predictions
from viz_core.evidence.results import FOLDER, weights_sha256
from viz_core.records import Failure

DEEP = '{"a":' * 200_000 + "1" + "}" * 200_000
EVIDENCE = [module.NAME for module in (alignment, faithfulness, health, importance, predictions)]
pytestmark = pytest.mark.usefixtures("runs_dir")


def change(file: Path, **changes) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changes}), "utf-8")


def change_weights(folder: Path, factor: float) -> None:
    weights = {name: tensor.float() * factor for name, tensor in load_file(folder / WEIGHTS).items()}
    save_file(weights, folder / WEIGHTS)


def integers(folder: Path) -> None:
    weights = {name: tensor.to(torch.int32) for name, tensor in load_file(folder / WEIGHTS).items()}
    save_file(weights, folder / WEIGHTS)


def regex_bomb(folder: Path) -> None:
    bomb = {"type": "Split", "pattern": {"Regex": "(a+)+!x"}, "behavior": "Isolated", "invert": False}
    change(folder / TOKENIZER, pre_tokenizer=bomb)


def evidence(content: str):
    def write(folder: Path) -> None:
        (folder / FOLDER).mkdir(exist_ok=True)
        for name in EVIDENCE:
            (folder / FOLDER / f"{name}.json").write_text(content.replace("SHA", weights_sha256(folder)), "utf-8")

    return write


# What a person may do to a folder; the sentence is shown on every page where the model is offered (LISTED), where it
# is selected (LOADED), or there is nothing to say, because what is damaged counts as missing.
LISTED = {
    "deep_config": (lambda folder: (folder / CONFIG).write_text(DEEP), "checkpoints.corrupt"),
    "deep_metrics": (lambda folder: (folder / METRICS).write_text(DEEP), "checkpoints.corrupt"),
    "layers": (lambda folder: change(folder / CONFIG, encoder={"layers": 10**5}), "checkpoints.bad_config"),
    "temperature": (lambda folder: change(folder / CONFIG, temperature=10**400), "checkpoints.bad_config"),
    "task": (lambda folder: change(folder / CONFIG, task=["imdb"]), "checkpoints.bad_config"),
    "other_task": (lambda folder: change(folder / CONFIG, task="afqmc"), "checkpoints.wrong_task"),
}
LOADED = {
    "nan": (lambda folder: change_weights(folder, float("nan")), "checkpoints.not_finite"),
    "huge": (lambda folder: change_weights(folder, 1e38), "analysis.no_numbers"),
    "regex": (regex_bomb, "checkpoints.corrupt"),
    "deep_tokenizer": (lambda folder: (folder / TOKENIZER).write_text(DEEP), "checkpoints.corrupt"),
    "integers": (integers, "checkpoints.not_floats"),
}
SILENT = {
    "types": lambda folder: change(folder / METRICS, validation=[1], test={"accuracy": []}, parameters={}, split={}),
    "numbers": lambda folder: change(folder / METRICS, split="test", accuracy=10**400, auc=1e400, n=-1, parameters=1e9),
    "deep_evidence": evidence(DEEP),
    "list_evidence": evidence("[]"),
    "type_evidence": evidence('{"weights_sha256": "SHA", "labels": 5, "heads": [], "scores": {}, "methods": 1}'),
    "nan_evidence": evidence('{"weights_sha256": "SHA", "probability": [NaN, 1e400], "n": {}, "rows": "x"}'),
    "card": lambda folder: (folder / CARD).write_bytes(b"\xff" * 10**6),
}


@pytest.fixture
def hostile(checkpoints_dir) -> Path:
    for name, damage in [(name, damage) for name, (damage, _) in (LISTED | LOADED).items()] + [*SILENT.items()]:
        damage(save_checkpoint(checkpoints_dir, "imdb", name))
    return checkpoints_dir


def test_every_hostile_folder_has_a_sentence_of_its_own(hostile):
    infos, failures = checkpoints.list_checkpoints()
    assert {f"imdb/{name}": key for name, (_, key) in LISTED.items()} == {
        failure.message.values["name"]: failure.message.key for failure in failures
    }
    assert {info.name for info in infos if info.task == "imdb"} == {"tiny", *LOADED, *SILENT}
    for name, (_, key) in LOADED.items():
        with pytest.raises(Failure) as failure:
            explain_input(find_model("imdb", name), "a good film")
        assert (failure.value.message.key, failure.value.message.values["name"]) == (key, f"imdb/{name}")
    for name in ("tiny", *SILENT):
        assert explain_input(find_model("imdb", name), "a good film").probabilities.sum() == pytest.approx(1)


def test_the_server_starts_beside_hostile_folders(hostile):
    """Also where the first model of a task, which is loaded at the start, is hostile."""
    save_checkpoint(hostile, "imdb", "a")
    regex_bomb(hostile / "imdb" / "a")
    assert checkpoints.task_checkpoints("imdb")[0].name == "a"
    warm_up()
