"""Check a folder in the format of `transformers`, which anyone may have written, before anything is loaded from it.

Neither torch nor `transformers` is needed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shorten
from types import MappingProxyType

from safetensors import SafetensorError

from viz_core.adapters.gguf_header import read_gguf_header
from viz_core.bounded_json import read_json_object, require_regular
from viz_core.records import Failure
from viz_core.weights_header import FLOATS, read_header

CONFIG, TOKENIZER, WEIGHTS, INDEX = "config.json", "tokenizer.json", "model.safetensors", "model.safetensors.index.json"
PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
GGUF = "*.gguf"
# By the sentence that says what to do: formats of weights that are not downloaded.
OTHER_FORMATS = {"adapters.pickled": PICKLED, "adapters.gguf": (GGUF,)}
# By the names of the library: what the header of a GGUF file calls the sizes that are judged.
_GGUF_SIZES = {
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "hidden_size": "embedding_length",
}
_GGUF_FAMILIES = {"gemma3": "gemma3_text", "gemma4": "gemma4_text"}  # of a file that has only the language model
# The Marian family, and the files of its tokenizers if there is no tokenizer.json.
MARIAN, MARIAN_FILES = "marian", ("source.spm", "target.spm", "vocab.json")
MOST_BYTES = 7 * 10**9  # of weights: those of the largest model that can be opened, in half precision
SLOW_TOKENIZERS = ("vocab.txt", "vocab.json", "*.model", "*.spm", "*.bpe", "merges.txt")


@dataclass(frozen=True)
class FolderSummary:
    """What is known of a model folder without loading it.

    Attributes:
        path: The folder.
        config: Contents of config.json; of a GGUF file, which has everything, the family and sizes.
        weights: The safetensors files, in order, or the GGUF file.
        shapes: Shapes of all floating-point tensors, by name.
        bytes: Size of the weights; of a GGUF file what they take in 32 bits.
        gguf: Size of the header of a GGUF file; 0 for other files.
    """

    path: Path
    config: Mapping[str, object]
    weights: tuple[Path, ...]
    shapes: Mapping[str, tuple[int, ...]]
    bytes: int
    gguf: int = 0

    @property
    def family(self) -> str:
        """The `model_type` of config.json; empty if there is none."""
        return str(self.config.get("model_type", ""))

    @property
    def parameters(self) -> int:
        """Number of weights in the files."""
        return sum(map(math.prod, self.shapes.values()))

    def size(self, names: Sequence[str]) -> int:
        """Return the first of these entries that is a positive number in config.json; 0 if there is none."""
        numbers = (self.config.get(name) for name in names)
        return next((number for number in numbers if type(number) is int and number > 0), 0)


def read_folder(path: Path, name: str = "") -> FolderSummary:
    """Check a folder by its files, its config.json and the headers of its weights.

    Args:
        path: The folder.
        name: Name of the model in messages.

    Raises:
        Failure: If the config or a readable tokenizer is missing, the weights are pickled, neither
            safetensors nor GGUF or too large, or a file is a pipe or a device, which might never end.
    """
    name = name or path.name
    if not (path / WEIGHTS).exists() and not (path / INDEX).exists():
        if files := _names(path, PICKLED):
            raise Failure("adapters.pickled", name=name, files=files)
        if files := _names(path, (GGUF,)):
            return _read_gguf(path, files, name)
    config = _read_config(path, name)
    sizes = _sizes(path, name)
    weights = _weight_files(path, name)
    if (size := sum(sizes.get(file.name, 0) for file in weights)) > MOST_BYTES:
        raise Failure("adapters.large_download", id=name, size=size / 1e9, most=MOST_BYTES / 1e9)
    _check_tokenizer(path, config["model_type"], name)
    shapes: dict[str, tuple[int, ...]] = {}
    for file in weights:
        shapes |= _read_shapes(file, name)
    return FolderSummary(path, MappingProxyType(config), weights, MappingProxyType(shapes), size)


def _sizes(path: Path, name: str) -> dict[str, int]:
    sizes = {}
    for file in path.iterdir():
        try:
            sizes[file.name] = require_regular(file)
        except (ValueError, OSError) as error:
            raise _unreadable(name, file, error) from error
    return sizes


def check_sides(name: str, layers: tuple[int, int], heads: tuple[int, int]) -> None:
    """Check that encoder and decoder have the same numbers of layers and heads, as one grid shows the heads of both.

    Raises:
        Failure: If they differ.
    """
    if len(set(layers)) > 1 or len(set(heads)) > 1:
        values = dict(zip(("layers", "decoder_layers", "heads", "decoder_heads"), (*layers, *heads), strict=True))
        raise Failure("adapters.unequal_sides", name=name, **values)


def _read_config(path: Path, name: str) -> dict:
    try:
        config = read_json_object(path / CONFIG)
    except FileNotFoundError as error:
        raise Failure("adapters.no_config", name=name) from error
    except (ValueError, OSError) as error:
        raise _unreadable(name, path / CONFIG, error) from error
    if not isinstance(config.get("model_type"), str):
        raise Failure("adapters.no_config", name=name)
    return config


def _read_gguf(path: Path, files: Sequence[str], name: str) -> FolderSummary:
    """Check a folder by the header of its GGUF file, which has config and tokenizer, too."""
    if len(files) > 1:
        raise Failure("adapters.gguf_several", name=name, files=files)
    file = path / files[0]
    try:
        header = read_gguf_header(file)
    except (ValueError, OSError) as error:
        raise _unreadable(name, file, error) from error
    family = str(header.metadata.get("general.architecture", ""))
    config = {theirs: header.of_model(ours) for theirs, ours in _GGUF_SIZES.items()}
    config["model_type"] = _GGUF_FAMILIES.get(family, family)
    parameters = sum(map(math.prod, header.shapes.values()))
    if (size := 4 * parameters) > MOST_BYTES:
        raise Failure("adapters.gguf_large", name=name, parameters=parameters, most=MOST_BYTES // 4)
    return FolderSummary(path, MappingProxyType(config), (file,), header.shapes, size, header.bytes)


def _weight_files(path: Path, name: str) -> tuple[Path, ...]:
    """Return the file of the weights, or the files that the index names.

    Raises:
        Failure: If there are none.
    """
    if (path / WEIGHTS).exists():
        return (path / WEIGHTS,)
    if not (path / INDEX).exists():
        raise Failure("adapters.no_weights", name=name)
    try:
        places = read_json_object(path / INDEX).get("weight_map")
        names = sorted(set(places.values())) if isinstance(places, dict) else []
        if not names or any(not isinstance(file, str) or Path(file).name != file for file in names):
            raise ValueError(f"weight_map is {shorten(places)}: it must name files of this folder")
    except (ValueError, OSError, TypeError) as error:
        raise _unreadable(name, path / INDEX, error) from error
    return tuple(path / file for file in names)


def _check_tokenizer(path: Path, family: str, name: str) -> None:
    if (path / TOKENIZER).exists():
        return
    if family != MARIAN:
        slow = _names(path, SLOW_TOKENIZERS)
        raise Failure("adapters.slow_tokenizer" if slow else "adapters.no_tokenizer", name=name, files=slow)
    if missing := [file for file in MARIAN_FILES if not (path / file).exists()]:
        raise Failure("adapters.no_marian_tokenizer", name=name, files=missing)


def _names(path: Path, patterns: Sequence[str]) -> list[str]:
    return sorted({file.name for pattern in patterns for file in path.glob(pattern)})


def _read_shapes(file: Path, name: str) -> dict[str, tuple[int, ...]]:
    """Read the shapes of the floating-point tensors from the header alone, whatever the size of the file."""
    try:
        return {tensor: stored.shape for tensor, stored in read_header(file).items() if stored.type in FLOATS}
    except FileNotFoundError as error:
        raise Failure("adapters.missing_file", name=name, file=file.name) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise _unreadable(name, file, error) from error


def _unreadable(name: str, file: Path, error: Exception) -> Failure:
    return Failure("adapters.unreadable", name=name, file=file.name, reason=str(error)[:200])
