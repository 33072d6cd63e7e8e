"""Load a folder whose files have been checked; opening.py and trial.py do, the first under a lock."""

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import (
    CONFIG_MAPPING,
    MODEL_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import WeightRenaming, apply_renamings
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
)
from transformers.utils import logging

from viz_core.adapters.checkpoint import adapt
from viz_core.adapters.folder import MARIAN, TOKENIZER, FolderSummary
from viz_core.adapters.marian_tokenizer import SOURCE, SPECIAL, TARGET, tokenizer_file
from viz_core.adapters.network import is_supported
from viz_core.bounded_json import read_json_object
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import pad
from viz_core.models.protocol import reads_source
from viz_core.records import Failure
from viz_core.text.tokenizer_parts import unknown_part
from viz_core.weights_header import find_misfit

SETTINGS, LONGEST = "tokenizer_config.json", 512  # tokens that Marian's tokenizers take if the file does not say
_LOCAL = dict(local_files_only=True, trust_remote_code=False)


def load_folder(summary: FolderSummary, name: str) -> Checkpoint:
    """Load the model in a folder onto the CPU.

    Raises:
        Failure: If its config cannot be built, its weights do not fit the config, or it does not
            compute finite numbers.
    """
    path = summary.path
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    base = MODEL_MAPPING.get(CONFIG_MAPPING[summary.family], None)
    if not isinstance(base, type) or not is_supported(summary.family, base):
        raise Failure("adapters.unknown_family", name=name, family=summary.family)
    try:
        config = AutoConfig.from_pretrained(path, **_LOCAL)
        auto = _class_of(config)
        with torch.device("meta"):  # shapes without memory
            expected = auto.from_config(config)
            options = {} if auto is not AutoModel else _without_pooling(type(expected))
            expected = auto.from_config(config, **options)
    except Exception as error:  # the library may raise anything for a config
        raise Failure("adapters.bad_config", name=name, reason=_first_line(error)) from error
    _compare(summary, expected, name)
    try:
        network = auto.from_pretrained(
            path, config=config, use_safetensors=True, dtype=torch.float32, **_LOCAL, **options
        )
        tokenizer, target_tokenizer = _tokenizers(summary)
        _require_known_parts(tokenizer, name)
        if len(tokenizer) > config.vocab_size:
            raise Failure("adapters.vocabulary", name=name, tokens=len(tokenizer), embeddings=config.vocab_size)
        checkpoint = adapt(network, tokenizer, name, target_tokenizer)
        computes = _computes_numbers(checkpoint)
    except Failure:
        raise
    except Exception as error:  # the library may raise anything for the files
        raise Failure("adapters.unreadable_model", name=name, reason=_first_line(error)) from error
    invalid = sum(int((~torch.isfinite(parameter)).sum()) for parameter in network.parameters())
    if invalid:
        raise Failure("checkpoints.not_finite", name=name, invalid=invalid, total=summary.parameters)
    if not computes:
        raise Failure("analysis.no_numbers", name=name)
    return checkpoint


def _class_of(config: PreTrainedConfig) -> Any:
    """Return the class of the library that loads the model with the head it was saved with, if we show that."""
    if config.is_encoder_decoder:
        return AutoModelForSeq2SeqLM
    architecture = (config.architectures or [""])[0]
    if architecture == MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(config.model_type):
        return AutoModelForCausalLM
    if architecture == MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.get(config.model_type):
        return AutoModelForSequenceClassification
    return AutoModel


def _tokenizers(summary: FolderSummary) -> tuple[PreTrainedTokenizerBase, PreTrainedTokenizerBase | None]:
    """Return the tokenizer, and that of the target if it differs."""
    if summary.family == MARIAN and not (summary.path / TOKENIZER).exists():
        return _marian_tokenizer(summary.path, SOURCE), _marian_tokenizer(summary.path, TARGET)
    # The library has only a slow tokenizer class for Marian, whatever files the folder has.
    reader = PreTrainedTokenizerFast if summary.family == MARIAN else AutoTokenizer
    return reader.from_pretrained(summary.path, **_LOCAL), None


def read_tokenizer(summary: FolderSummary) -> PreTrainedTokenizerBase:
    """Return the tokenizer of a folder; of two that of the source."""
    return _tokenizers(summary)[0]


def _require_known_parts(tokenizer: PreTrainedTokenizerBase, name: str) -> None:
    """Check the tokenizer that is used, from whichever file the library has read it.

    That of the target is built here (marian_tokenizer.py).

    Raises:
        Failure: If it has a part that no well-known tokenizer has.
    """
    if tokenizer.is_fast and (part := unknown_part(json.loads(tokenizer.backend_tokenizer.to_str()))):
        raise Failure("adapters.unknown_part", name=name, part=part)


def _marian_tokenizer(path: Path, file: str) -> PreTrainedTokenizerBase:
    settings = read_json_object(path / SETTINGS) if (path / SETTINGS).exists() else {}
    pad, end, unknown = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(tokenizer_file(path, file)),
        pad_token=pad,
        eos_token=end,
        unk_token=unknown,
        model_max_length=settings.get("model_max_length") or LONGEST,
    )


def _computes_numbers(checkpoint: Checkpoint) -> bool:
    """Whether the output for a short text is finite; an exception of the model is passed on."""
    encoding = checkpoint.text_encoder.encode("a b")
    ids, segments, mask = pad([encoding.ids], [encoding.segments])
    arguments = (ids, mask, ids[:, :1]) if reads_source(checkpoint.model) else (ids, segments, mask)
    with torch.inference_mode():
        output = checkpoint.model(*arguments, need_attention=True)
    return all(bool(torch.isfinite(numbers).all()) for numbers in (output.logits, *output.attention.values()))


def _without_pooling(network: type) -> Mapping[str, bool]:
    """Return arguments that leave out the pooling layer of a base model: it is not used, and files may lack it."""
    has_pooling = "add_pooling_layer" in inspect.signature(network).parameters
    return {"add_pooling_layer": False} if has_pooling else {}


def _compare(summary: FolderSummary, network: PreTrainedModel, name: str) -> None:
    """Check that the weights in the files are those that config.json asks for.

    Names in a file may lack the prefix of the base model, and may be older ones, which the library renames.

    Args:
        summary: The folder.
        network: The model as it would be, its weights not loaded.
        name: Name of the model in messages.

    Raises:
        Failure: If they differ.
    """
    prefix = network.base_model_prefix + "."
    renamings = [each for each in get_model_conversion_mapping(network) if isinstance(each, WeightRenaming)]
    shapes = {apply_renamings(key, renamings): shape for key, shape in summary.shapes.items()}
    stored = {key.removeprefix(prefix): shape for key, shape in shapes.items()}
    computed = set(network._keys_to_ignore_on_save or ())  # such as sines and cosines of positions
    # Tied weights count once.
    expected = {key: tuple(value.shape) for key, value in network.named_parameters() if key not in computed}
    names = {key.removeprefix(prefix): key for key in expected}
    shapes = {names.get(key, key): shape for key, shape in stored.items()}
    if misfit := find_misfit(shapes, expected):
        raise Failure("adapters.misfit", name=name, reason=misfit)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
