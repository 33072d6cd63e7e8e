"""Opens a model from elsewhere by its reference. Each file is judged before anything is loaded of it; no code that
comes with a model is run, and no pickled file is read.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import psutil

from viz_core.adapters.folder import HEADS, LAYERS, TOKENIZER, WIDTH, FolderSummary, read_folder
from viz_core.adapters.references import display_name, find_folder
from viz_core.checkpoints import Checkpoint
from viz_core.checkpoints.sizes import LARGEST, MOST_PARAMETERS
from viz_core.models.batch import pad
from viz_core.records import Failure, Message
from viz_core.text.tokenizer_file import try_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel

LARGE = 10**9  # bytes of weights: more than BERT-base (0.4 GB), less than BERT-large (1.3 GB); opened if accepted
# Two threads that import `transformers` for the first time get it half-made: its modules are loaded when asked for.
_loading = Lock()
_TOKENS = 512  # of the text whose attention is estimated
_NUMBER = 4  # bytes: whatever the file has, a model computes in 32 bits here


class LargeModel(Failure):
    """The model takes much memory, and nobody has accepted that yet."""


def open_model(reference: str, accept_large: bool = False) -> Checkpoint:
    """The model of a reference (`path:…`, `hf:…`), downloaded if need be. Raises Failure; LargeModel, with an estimate,
    for one of more than LARGE bytes, unless accept_large."""
    require_transformers()
    return load(read_folder(find_folder(reference), display_name(reference)), display_name(reference), accept_large)


def require_transformers() -> None:
    """Raises Failure if the optional library is not installed."""
    if find_spec("transformers") is None:
        raise Failure("adapters.not_installed")


def load(summary: FolderSummary, name: str, accept_large: bool = False) -> Checkpoint:
    """The model in a folder, on the CPU. Raises Failure as `open_model` does."""
    with _loading:
        return _load_judged(summary, name, accept_large)


def _load_judged(summary: FolderSummary, name: str, accept_large: bool) -> Checkpoint:
    from viz_core.adapters.families import FAMILIES

    if "auto_map" in summary.config:
        raise Failure("adapters.remote_code", name=name)
    if summary.family not in FAMILIES:
        raise Failure("adapters.unknown_family", name=name, family=summary.family, known=list(FAMILIES))
    _check_size(summary, name, accept_large)
    return _load(summary.path, summary, name)


def _check_size(summary: FolderSummary, name: str, accept_large: bool) -> None:
    """Raises Failure for a model that is too large, or that nobody has accepted yet."""
    layers, heads, width = (summary.size(names) for names in (LAYERS, HEADS, WIDTH))
    for key, value in (("layers", layers), ("heads", heads), ("width", width)):
        if not 0 < value <= LARGEST[key]:
            raise Failure("adapters.bad_size", name=name, size=key, value=value, most=LARGEST[key])
    if summary.parameters > MOST_PARAMETERS:
        raise Failure("adapters.too_large", name=name, parameters=summary.parameters, most=MOST_PARAMETERS)
    needed = _NUMBER * (summary.parameters + layers * heads * _TOKENS**2)
    values = {
        "name": name,
        "parameters": summary.parameters,
        "layers": layers,
        "heads": heads,
        "width": width,
        "needed": needed / 1e9,
        "available": psutil.virtual_memory().available / 1e9,
    }
    if values["needed"] > values["available"]:
        raise Failure("adapters.no_memory", **values)
    if _NUMBER * summary.parameters > LARGE and not accept_large:
        raise LargeModel("adapters.large", **values)


def _load(path: Path, summary: FolderSummary, name: str) -> Checkpoint:
    import torch
    from transformers import (
        AutoConfig,
        AutoModel,
        AutoModelForCausalLM,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )
    from transformers.utils import logging

    from viz_core.adapters.checkpoint import adapt

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    local = dict(local_files_only=True, trust_remote_code=False)
    try:
        config = AutoConfig.from_pretrained(path, **local)
        architecture = str((config.architectures or [""])[0])
        classifies = architecture.endswith("ForSequenceClassification")
        auto = AutoModelForSequenceClassification if classifies else AutoModel
        if architecture.endswith("LMHeadModel"):
            auto = AutoModelForCausalLM
        with torch.device("meta"):  # shapes without memory
            expected = auto.from_config(config)
            options = {} if auto is not AutoModel else _without_pooling(type(expected))
            expected = auto.from_config(config, **options)
    except Exception as error:  # of whatever the library finds in a config
        raise Failure("adapters.bad_config", name=name, reason=_first_line(error)) from error
    _compare(summary, expected, name)
    try:
        try_tokenizer(path / TOKENIZER)
        network = auto.from_pretrained(
            path, config=config, use_safetensors=True, dtype=torch.float32, **local, **options
        )
        tokenizer = AutoTokenizer.from_pretrained(path, **local)
        if len(tokenizer) > config.vocab_size:
            raise Failure("adapters.vocabulary", name=name, tokens=len(tokenizer), embeddings=config.vocab_size)
        checkpoint = adapt(network, tokenizer, name)
        computes = _computes_numbers(checkpoint)
    except Failure:
        raise
    except Exception as error:  # of whatever the library finds in the files
        raise Failure("adapters.unreadable_model", name=name, reason=_first_line(error)) from error
    invalid = sum(int((~torch.isfinite(parameter)).sum()) for parameter in network.parameters())
    if invalid:
        raise Failure("checkpoints.not_finite", name=name, invalid=invalid, total=summary.parameters)
    if not computes:
        raise Failure("analysis.no_numbers", name=name)
    return checkpoint


def _computes_numbers(checkpoint: Checkpoint) -> bool:
    """Whether a short text gets finite numbers. Raises whatever a model raises that cannot compute."""
    import torch

    encoding = checkpoint.text_encoder.encode("a b")
    with torch.inference_mode():
        output = checkpoint.model(*pad([encoding.ids], [encoding.segments]), need_attention=True)
    return bool(torch.isfinite(output.logits).all() and torch.isfinite(output.own).all())


def _without_pooling(network: type) -> Mapping[str, bool]:
    """Arguments with which a base model has no pooling layer: nothing here reads it, and files may lack it."""
    has_pooling = "add_pooling_layer" in inspect.signature(network.__init__).parameters
    return {"add_pooling_layer": False} if has_pooling else {}


def _compare(summary: FolderSummary, network: PreTrainedModel, name: str) -> None:
    """Raises Failure if the weights in the files are not those that config.json asks for. network: as it would be, its
    weights not loaded. Names in a file may lack the prefix of the base model, and be TensorFlow's."""
    prefix = network.base_model_prefix + "."
    stored = {_modern(key.removeprefix(prefix)): shape for key, shape in summary.shapes.items()}
    for key, parameter in network.named_parameters():  # tied weights once
        values = {"tensor": key, "count": 1, "expected": str(list(parameter.shape))}
        shape = stored.get(key.removeprefix(prefix))
        if shape is None:
            raise Failure("adapters.misfit", name=name, reason=Message("checkpoints.missing_tensor", values))
        if shape != tuple(parameter.shape):
            reason = Message("checkpoints.tensor_shape", {**values, "stored": str(list(shape))})
            raise Failure("adapters.misfit", name=name, reason=reason)


def _modern(key: str) -> str:
    return key.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
