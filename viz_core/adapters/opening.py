"""Open an external model by its reference.

Each file is checked before anything is loaded from it, and loading is first tried in a process with
limits; no code that comes with a model is run, and no pickled file is read.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import psutil

from viz_core.adapters.apart import Waiting, no_hurry
from viz_core.adapters.folder import FolderSummary, check_sides, read_folder
from viz_core.adapters.references import display_name, find_folder, library_lock
from viz_core.adapters.trial import start_trials, try_chat, try_converting, try_loading
from viz_core.checkpoints import Checkpoint
from viz_core.checkpoints.settings import LARGEST
from viz_core.models.protocol import LanguageModel
from viz_core.records import Failure

MOST_PARAMETERS = 33 * 10**8  # 13 GB in 32 bits: models that are said to have 3 billion have up to so many
LARGE = 10**9  # bytes of weights: more than BERT-base (0.4 GB), less than BERT-large (1.3 GB); opened if accepted
SIZES = "num_hidden_layers", "num_attention_heads", "hidden_size"  # the library's standard names
# Sizes of the decoder of an encoder-decoder.
DECODER_LAYERS, DECODER_HEADS = ("decoder_layers", "num_decoder_layers"), ("decoder_attention_heads",)
GGUF_PACKAGES = ("gguf", "accelerate")  # what the library reads such files with
_TOKENS = 512  # length of the text for which the memory of the attention is estimated
_NUMBER = 4  # bytes: whatever type the file has, models compute in 32 bits here


class LargeModel(Failure):
    """The model needs much memory, which has not been accepted yet."""


def open_model(reference: str, accept_large: bool = False, waiting: Waiting = no_hurry) -> Checkpoint:
    """Open the model of a reference (`path:…`, `hf:…`), downloading it if needed.

    Args:
        reference: The reference.
        accept_large: Whether a model of more than LARGE bytes is accepted.
        waiting: Called during download and trial; whatever it raises ends them.

    Raises:
        LargeModel: With an estimate, if the model has more than LARGE bytes and `accept_large` is
            False.
        Failure: If the model cannot be opened.
    """
    name = display_name(reference)
    return load(read_folder(find_folder(reference, waiting), name), name, accept_large, waiting)


def load(summary: FolderSummary, name: str, accept_large: bool = False, waiting: Waiting = no_hurry) -> Checkpoint:
    """Load the model in a folder onto the CPU.

    Raises:
        Failure: As `open_model`.
    """
    with library_lock:
        _judge(summary, name, accept_large)
        start_trials()  # while this process imports the same
        from viz_core.adapters.checkpoint import with_chat
        from viz_core.adapters.loading import load_folder
    with _converted(summary, name, waiting) as plain:
        try_loading(plain.path, name, plain.bytes, waiting)
        with library_lock:
            checkpoint = load_folder(plain, name)
        if not isinstance(checkpoint.model, LanguageModel):
            return checkpoint
        return with_chat(checkpoint, try_chat(plain.path, name, waiting))


@contextmanager
def _converted(summary: FolderSummary, name: str, waiting: Waiting) -> Iterator[FolderSummary]:
    """The folder, or one for the moment in its place that the library makes of a GGUF file.

    Raises:
        Failure: If that is not possible, or there is no room on the disk.
    """
    if not summary.gguf:
        yield summary
        return
    with TemporaryDirectory(prefix="gguf", ignore_cleanup_errors=True) as target:
        if (free := disk_usage(target).free) < summary.bytes:
            values = {"needed": summary.bytes / 1e9, "available": free / 1e9}
            raise Failure("adapters.gguf_disk", name=name, folder=gettempdir(), **values)
        try_converting(summary, Path(target), name, waiting)
        yield read_folder(Path(target), name)


def _judge(summary: FolderSummary, name: str, accept_large: bool) -> None:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if summary.gguf and (missing := [name for name in GGUF_PACKAGES if find_spec(name) is None]):
        raise Failure("adapters.gguf_packages", name=name, packages=" ".join(missing))
    if "auto_map" in summary.config:
        raise Failure("adapters.remote_code", name=name)
    if summary.family not in CONFIG_MAPPING:
        raise Failure("adapters.unknown_family", name=name, family=summary.family)
    _check_size(summary, CONFIG_MAPPING[summary.family].attribute_map, name, accept_large)


def _check_size(summary: FolderSummary, names: Mapping[str, str], name: str, accept_large: bool) -> None:
    """Check the size of a model.

    Args:
        summary: The folder.
        names: Maps the library's standard names to those in config.json.
        name: Name of the model in messages.
        accept_large: Whether a model of more than LARGE bytes is accepted.

    Raises:
        Failure: If the model is too large, or not accepted.
    """
    layers, heads, width = (summary.size((standard, names.get(standard, standard))) for standard in SIZES)
    for key, value in (("layers", layers), ("heads", heads), ("width", width)):
        if not 0 < value <= LARGEST[key]:
            raise Failure("adapters.bad_size", name=name, size=key, value=value, most=LARGEST[key])
    decoder_layers, decoder_heads = summary.size(DECODER_LAYERS), summary.size(DECODER_HEADS)  # 0: as in the encoder
    check_sides(name, (layers, decoder_layers or layers), (heads, decoder_heads or heads))
    if summary.parameters > MOST_PARAMETERS:
        raise Failure("adapters.too_large", name=name, parameters=summary.parameters, most=MOST_PARAMETERS)
    kinds = 3 if summary.config.get("is_encoder_decoder") else 1  # of attention
    needed = _NUMBER * (summary.parameters + kinds * layers * heads * _TOKENS**2) / 1e9
    available = psutil.virtual_memory().available / 1e9
    values: dict[str, Any] = {
        "name": name,
        "parameters": summary.parameters,
        "layers": layers,
        "heads": heads,
        "width": width,
        "needed": needed,
        "available": available,
    }
    if needed > available:
        raise Failure("adapters.no_memory", **values)
    if _NUMBER * summary.parameters > LARGE and not accept_large:
        raise LargeModel("adapters.large", **values)
