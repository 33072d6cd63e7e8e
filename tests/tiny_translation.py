"""A tiny translation model, untrained: a checkpoint in memory, and its folder."""

from pathlib import Path

import torch
from torch import nn

from tests.models.tiny import encoder_decoder
from viz_core import checkpoints
from viz_core.checkpoints import Checkpoint, Settings
from viz_core.records import Metrics
from viz_core.tasks import get_task
from viz_core.text.building import SEP, build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder

SEED = 1
SOURCE = "我们明天去学校。"
TEXTS = (SOURCE, "we go to school tomorrow.", "he didn't come yesterday, did he?", "他昨天没有来")


def translation_checkpoint(end: float = 0.0, max_tokens: int = 16) -> Checkpoint:
    """end: added to the logit of the end: at 0 the translation of SOURCE is cut off, at 3 it ends."""
    task = get_task("tatoeba")
    encoder = TextEncoder(build_translation_tokenizer(TEXTS, max_tokens, min_count=1), task.segmenter)
    model = encoder_decoder(SEED, vocabulary=encoder.vocabulary, max_tokens=max_tokens, width=16)
    with torch.no_grad():  # what is written depends on the source and on the position
        for module in model.modules():
            if isinstance(module, nn.LayerNorm):
                module.reset_parameters()
        for layer in model.decoder_layers:
            layer.attention.output.weight.mul_(2)
            layer.cross_attention.output.weight.mul_(4)
        model.target_positions.position.weight.mul_(2)
        model.output_bias.zero_()
        model.output_bias[SEP] = end
    settings = Settings("tatoeba", model.config, threshold=None, kind="encoder_decoder")
    return Checkpoint("tiny", task, settings, model, encoder, Metrics({}))


def save_translation(root: Path, end: float = 0.0, max_tokens: int = 16, **metrics) -> Path:
    """Saves it as `<root>/tatoeba/tiny` and returns that folder. metrics: further entries of its metrics."""
    checkpoint, folder = translation_checkpoint(end, max_tokens), root / "tatoeba" / "tiny"
    stored = {"task": "tatoeba", **metrics}
    checkpoints.save(folder, checkpoint.settings, checkpoint.model, checkpoint.text_encoder, stored)
    return folder
