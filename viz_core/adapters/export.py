"""Writes an encoder of ours as a Hugging Face folder that `AutoModelForSequenceClassification` opens.

BERT (Devlin et al. 2019) computes the same as our encoder if that normalises after each sub-layer
and after the embeddings, learns its positions, and reads [CLS]. What BERT has besides, a layer with
tanh on [CLS], is made to pass on what it reads: tanh is linear around 0, to 2e-8 at this scale.
"""

import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, cast

import torch
from safetensors.torch import save_file
from torch import Tensor

from viz_core.adapters.families import FAMILIES, Parts, Start
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.checkpoints.reading import read_tokenizer
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Encoder
from viz_core.records import Failure, Message, failing
from viz_core.text.building import CLS, PAD, SEP, SPECIAL, UNK

FAMILY = "bert"
_SCALE = 2.0**-13  # of what tanh reads


def misfit(model: Checkpoint | CheckpointInfo) -> Message | None:
    """Say why a model cannot be written as BERT; None if it can. No weights are read.

    Raises:
        Failure: If the tokenizer of a model that is not loaded cannot be read.
    """
    config = model.settings.config
    if not isinstance(config, EncoderConfig):
        return Message("export.no_encoder", {"kind": model.settings.kind})
    fixed = {"norm": "post", "positions": "learned", "pooling": "cls", "stem": "none", "overlap": False}
    for name, value in fixed.items():
        if getattr(config, name) != value:
            return Message("export.differs", {"setting": name, "value": str(getattr(config, name)), "bert": str(value)})
    if not config.normalises_embeddings:
        return Message("export.differs", {"setting": "embedding_norm", "value": "False", "bert": "True"})
    text_encoder = model.text_encoder if isinstance(model, Checkpoint) else read_tokenizer(model.path, model.settings)
    return Message("export.jieba") if text_encoder.has_own_splitter else None


def export_folder(checkpoint: Checkpoint, out: Path) -> None:
    """Write config, weights and tokenizer of a model into a folder.

    The logits are calibrated: divided by the temperature of the model.

    Raises:
        Failure: If the model does not fit, saying why, or the folder cannot be written.
    """
    if reason := misfit(checkpoint):
        raise Failure("export.impossible", name=checkpoint.name, reason=reason)
    with failing(OSError, "checkpoints.archive_not_written", file=str(out)):
        out.mkdir(parents=True, exist_ok=True)
        _write_json(out / "config.json", _config(checkpoint))
        _write_json(out / "tokenizer_config.json", _tokenizer_config(checkpoint))
        checkpoint.text_encoder.save(out / "tokenizer.json")
        save_file(_weights(checkpoint), out / "model.safetensors", {"format": "pt"})


def export_zip(checkpoint: Checkpoint, out: BinaryIO, name: str) -> None:
    """Write the same as a zip of a folder of this name.

    Raises:
        Failure: As `export_folder`.
    """
    with (
        failing(OSError, "checkpoints.archive_not_written", file=name),
        TemporaryDirectory() as folder,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        export_folder(checkpoint, Path(folder))
        for file in sorted(Path(folder).iterdir()):
            archive.write(file, f"{name}/{file.name}")


def _config(checkpoint: Checkpoint) -> dict:
    config, labels = cast(EncoderConfig, checkpoint.settings.config), checkpoint.task.labels
    return {
        "architectures": ["BertForSequenceClassification"],
        "model_type": FAMILY,
        "vocab_size": config.vocabulary,
        "max_position_embeddings": config.max_tokens,
        "type_vocab_size": config.segments,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "hidden_size": config.width,
        "intermediate_size": config.feedforward,
        "hidden_act": config.activation,
        "layer_norm_eps": config.norm_epsilon,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": config.attention_dropout,
        "pad_token_id": PAD,
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
        "torch_dtype": "float32",
    }


def _tokenizer_config(checkpoint: Checkpoint) -> dict:
    names = {"pad_token": PAD, "unk_token": UNK, "cls_token": CLS, "sep_token": SEP}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": checkpoint.text_encoder.max_tokens,
        "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
        **{name: SPECIAL[number] for name, number in names.items()},
    }


def _weights(checkpoint: Checkpoint) -> dict[str, Tensor]:
    parts, start = cast(Parts, FAMILIES[FAMILY].parts), cast(Start, FAMILIES[FAMILY].start)
    model, config = cast(Encoder, checkpoint.model), cast(EncoderConfig, checkpoint.settings.config)
    ours = {name: tensor.detach().float() for name, tensor in model.state_dict().items()}
    paths = {name: f"{FAMILY}.{path}" for name, path in parts.embeddings.items()}
    for number in range(config.layers):
        layer = f"{FAMILY}.{start.layers}.{number}"
        paths |= {f"layers.{number}.{name}": f"{layer}.{path}" for name, path in parts.layer.items()}
    weights = {
        f"{path}.{part}": ours[f"{name}.{part}"].contiguous()
        for name, path in paths.items()
        for part in ("weight", "bias")
        if f"{name}.{part}" in ours
    }
    width, temperature = config.width, checkpoint.settings.temperature
    weights[f"{parts.hidden}.weight"] = _SCALE * torch.eye(width)
    weights[f"{parts.hidden}.bias"] = torch.zeros(width)
    weights[f"{parts.output}.weight"] = ours["classifier.weight"] / (_SCALE * temperature)
    weights[f"{parts.output}.bias"] = ours["classifier.bias"] / temperature
    return weights


def _write_json(file: Path, values: dict) -> None:
    file.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
