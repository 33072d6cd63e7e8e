"""Checkpoint folders: saving and loading; a damaged folder is named and leaves the others usable."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.tiny import batch, encoder, save_checkpoint, text_encoder
from viz_core import checkpoints
from viz_core.checkpoints import CONFIG, METRICS, TOKENIZER, WEIGHTS, Settings
from viz_core.language import LANGUAGES, Translator, has_sentence
from viz_core.models.kinds import KINDS
from viz_core.records import Failure, Message, Metrics


def failure_of(call) -> Message:
    with pytest.raises(Failure) as failure:
        call()
    for language in LANGUAGES:  # every failure has a sentence in each language
        assert Translator(language)(failure.value.message)
    return failure.value.message


def test_a_saved_model_is_loaded_in_half_precision(tmp_path):
    text = text_encoder("afqmc")
    model = encoder(vocabulary=text.vocabulary, overlap=True, positions="sinusoidal", norm="post")
    settings = Settings("afqmc", model.config, temperature=1.5, threshold=0.3, caution="checkpoints.collapsed")
    checkpoints.save(tmp_path / "afqmc" / "mine", settings, model, text, {"accuracy": 0.75})
    assert {tensor.dtype for tensor in load_file(tmp_path / "afqmc" / "mine" / WEIGHTS).values()} == {torch.float16}
    loaded = checkpoints.load("afqmc", "mine", tmp_path)
    assert (loaded.name, loaded.settings, loaded.metrics) == ("mine", settings, Metrics({"accuracy": 0.75}))
    assert not loaded.model.training
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())
    inputs = batch(5, 9, vocabulary=text.vocabulary)
    torch.testing.assert_close(loaded.model(*inputs).logits, model(*inputs).logits, atol=1e-6, rtol=0)
    np.testing.assert_array_equal(loaded.text_encoder.encode("花呗", "借呗").ids, text.encode("花呗", "借呗").ids)


def test_list_gives_task_name_and_settings(checkpoints_dir):
    infos, failures = checkpoints.list_checkpoints()
    assert [(info.task, info.name) for info in infos] == [("imdb", "tiny"), ("afqmc", "tiny")]
    assert infos[0].settings.threshold == 0.4
    assert infos[0].path == checkpoints_dir / "imdb" / "tiny"
    assert failures == []


def test_folder_without_checkpoints_lists_nothing(tmp_path):
    assert checkpoints.list_checkpoints(tmp_path) == ([], [])
    assert failure_of(lambda: checkpoints.load("imdb", "x", tmp_path)) == Message(
        "checkpoints.none", {"task": "imdb", "name": "x", "known": []}
    )


def test_a_missing_model_is_reported_with_the_available_ones(checkpoints_dir):
    assert failure_of(lambda: checkpoints.load("imdb", "large")) == Message(
        "checkpoints.missing", {"task": "imdb", "name": "large", "known": ["tiny"]}
    )
    assert failure_of(lambda: checkpoints.load("poems", "tiny")).key == "tasks.unknown"


OUTSIDE = ["../afqmc/tiny", "..", ".", "", "/etc", "tiny/", "tiny/../tiny", "a\0b", "a" * 5000, "\ud800"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_out_of_the_folder_are_refused(checkpoints_dir, name):
    assert failure_of(lambda: checkpoints.load("imdb", name)).key == "checkpoints.missing"
    assert checkpoints.find("imdb", name) is None


def test_a_checkpoint_is_found_by_its_task_and_name(checkpoints_dir):
    assert checkpoints.find("afqmc", "tiny") == checkpoints.task_checkpoints("afqmc")[0]
    assert checkpoints.find("imdb", "large") is None
    assert checkpoints.find("../checkpoints/imdb", "tiny") is None and checkpoints.find("", "imdb") is None


def test_encoders_come_before_baselines_and_those_before_models_with_a_caution(tmp_path):
    def save(name: str, kind: str, caution: str = "", metrics: dict | None = None) -> None:
        text, fields = text_encoder("imdb"), {"width": 8, "layers": 1, "heads": 1, "feedforward": 8}
        sizes = {"vocabulary": text.vocabulary, "max_tokens": 16}
        model = KINDS[kind].config({**sizes, **(fields if kind == "encoder" else {"width": 8})})
        settings = Settings("imdb", model, kind=kind, caution=caution)
        checkpoints.save(tmp_path / "imdb" / name, settings, KINDS[kind].build(model), text, metrics or {})

    save("a", "encoder", "checkpoints.collapsed")
    save("b", "bag")
    save("c", "recurrent")
    save("aa", "encoder", metrics={"pretrained": {"name": "bert"}})
    save("d", "encoder", metrics={"pretrained": "damaged"})
    assert [info.name for info in checkpoints.task_checkpoints("imdb", tmp_path)] == ["d", "aa", "b", "c", "a"]


def test_a_checkpoint_that_is_being_saved_or_cannot_be_read_is_not_found(checkpoints_dir):
    folder = checkpoints_dir / "imdb" / "tiny"
    folder.rename(folder.with_name(".tiny"))
    assert checkpoints.find("imdb", ".tiny") is None
    folder.with_name(".tiny").rename(folder)
    (folder / checkpoints.CONFIG).write_text("{", "utf-8")
    assert checkpoints.find("imdb", "tiny") is None


@pytest.mark.parametrize("file", [WEIGHTS, CONFIG, TOKENIZER, METRICS])
@pytest.mark.parametrize(
    "damage, key",
    [
        (lambda file: file.unlink(), "checkpoints.no_file"),
        (lambda file: file.write_bytes(b""), "checkpoints.corrupt"),
        (lambda file: file.write_bytes(file.read_bytes()[:-20]), "checkpoints.corrupt"),
        (lambda file: file.write_bytes(b"\xff\x00" * 500), "checkpoints.corrupt"),
        (lambda file: (file.unlink(), file.mkdir()), "checkpoints.corrupt"),
    ],
    ids=["missing", "empty", "cut short", "garbled", "a folder"],
)
def test_a_damaged_file_is_named_and_leaves_the_other_models_usable(checkpoints_dir, file, damage, key):
    save_checkpoint(checkpoints_dir, "imdb", "broken")
    damage(checkpoints_dir / "imdb" / "broken" / file)
    message = failure_of(lambda: checkpoints.load("imdb", "broken"))
    assert (message.key, message.values["name"], message.values["file"]) == (key, "imdb/broken", file)
    infos, failures = checkpoints.list_checkpoints()
    assert {info.name for info in infos} >= {"tiny"}
    assert [failure.message.key for failure in failures] == ([key] if file in (CONFIG, METRICS) else [])
    assert checkpoints.load("imdb", "tiny").name == "tiny"


def test_tokenizer_of_another_training_is_refused(checkpoints_dir):
    folder = checkpoints_dir / "imdb" / "tiny"
    text_encoder("afqmc").save(folder / TOKENIZER)
    message = failure_of(lambda: checkpoints.load("imdb", "tiny"))
    assert message.key == "checkpoints.vocabulary"
    text_encoder("imdb", max_tokens=99).save(folder / TOKENIZER)
    assert failure_of(lambda: checkpoints.load("imdb", "tiny")) == Message(
        "checkpoints.length", {"name": "imdb/tiny", "tokens": 99, "positions": 16}
    )


def test_a_caution_has_a_sentence_in_every_language(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "afqmc", "bad", caution="checkpoints.collapsed")
    assert has_sentence(Message(checkpoints.load("afqmc", "bad").settings.caution))
