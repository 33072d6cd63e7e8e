"""Patching of translations: the word that follows a common beginning, as the class of a source."""

import json

import numpy as np
import pytest
import torch

from tests.tiny_translation import SOURCE, save_translation, translation_checkpoint
from viz_core import __main__
from viz_core.analysis.explain import input_tensors
from viz_core.analysis.patching.estimate import agreement, estimate
from viz_core.analysis.patching.next_word import contrast_of
from viz_core.analysis.patching.patch import Cell, explain_patched, patch, patch_all
from viz_core.analysis.translation.explain_translation import source_tensors
from viz_core.analysis.translation.live import translate_text
from viz_core.models.protocol import HookPoint
from viz_core.models.recording import record, replacing
from viz_core.records import SITES, Failure
from viz_core.text.building import CLS, PAD, UNK

OTHER = "我们昨天去学校。"


@pytest.fixture(scope="module")
def model():
    return translation_checkpoint()


def pair(model, kind="self", source=OTHER, target=SOURCE):
    return contrast_of(model, model.text_encoder.encode(source), model.text_encoder.encode(target), kind)


def test_the_classes_are_the_first_words_in_which_the_translations_differ(model):
    view, found = pair(model)
    outputs = [[step.output.id for step in translate_text(model, text).steps] for text in (OTHER, SOURCE)]
    shared = len(view.model.beginning) - 1
    assert outputs[0][:shared] == outputs[1][:shared] == view.model.beginning[1:].tolist()
    assert found.logits == (outputs[0][shared], outputs[1][shared]) and len(set(found.logits)) == 2
    assert found.labels == tuple(map(model.text_encoder.token, found.logits))
    assert found.source_difference > 0 > found.target_difference


@torch.no_grad()
def test_logits_are_those_of_the_decoder_after_the_beginning(model):
    view, found = pair(model)
    ids, mask = source_tensors(found.target)
    expected = model.model(ids, mask, view.model.beginning[None]).logits[0, -1]
    logits = view.model(*input_tensors(found.target)).logits[0]
    excluded = [PAD, UNK, CLS]
    allowed = np.setdiff1d(np.arange(len(logits)), excluded)
    torch.testing.assert_close(logits[allowed], expected[allowed])
    assert logits[excluded].max() < -1000, "decoding never writes them"


def test_all_that_the_encoder_says_of_the_other_source_is_its_next_word(model):
    view, found = pair(model)
    np.testing.assert_allclose(patch(view, found, [Cell("residual", 0)]), 1, atol=1e-4)
    patched = explain_patched(view, found, Cell("residual", 0))
    assert patched.labels[patched.predicted] == found.labels[0]
    exact, estimated = patch_all(view, found), estimate(view, found)
    assert [exact.effects[site].shape for site in SITES] == [estimated.effects[site].shape for site in SITES]


@torch.no_grad()
def test_a_head_of_the_cross_attention_is_what_a_hook_by_hand_gives(model):
    view, found = pair(model, "cross")
    read, point = view.model.beginning[None], HookPoint("context", 1, "cross")
    source, target = ((*source_tensors(text), read) for text in (found.source, found.target))
    other, own = (record(model.model, tensors, {point})[point] for tensors in (source, target))
    mixed = own.clone()
    mixed[0, 1] = other[0, 1]
    logits = model.model(*target, hook=replacing({point: mixed})).logits[0, -1].double()
    expected = found.effects(np.array(float(logits[found.logits[0]] - logits[found.logits[1]])))
    assert patch_all(view, found, ["heads"]).effects["heads"][1, 1] == pytest.approx(float(expected), abs=1e-5)


@pytest.mark.parametrize(("source", "key"), [(SOURCE, "patching.same_texts"), ("天", "patching.same_translations")])
def test_what_cannot_be_compared_is_said(model, source, key):
    with torch.no_grad():
        still = translation_checkpoint()
        for layer in still.model.decoder_layers:
            layer.cross_attention.output.weight.zero_()  # whatever is written, it is not of the source
    with pytest.raises(Failure) as failure:
        pair(still, source=source)
    assert failure.value.message.key == key


def test_the_command_says_after_which_words_they_are_compared(model, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_translation(tmp_path)
    words = ["patch", "--task", "tatoeba", "--model", "tiny", "--text", SOURCE, "--source", OTHER, "--json"]
    monkeypatch.setattr("sys.argv", ["viz_core", *words])
    assert __main__.main() == 0, capsys.readouterr().err
    view, _ = pair(model)
    shared = view.model.beginning[1:].tolist()
    assert json.loads(capsys.readouterr().out)["after"] == model.text_encoder.decode(shared).texts[0]


def test_heads_of_the_cross_attention_are_estimated_too(model):
    view, found = pair(model, "cross")
    exact, estimated = (run(view, found, ["heads"]).effects["heads"] for run in (patch_all, estimate))
    assert estimated.shape == exact.shape and agreement(exact, estimated) > 0.5
