"""Convert a GGUF file into a folder of safetensors, in the process of trials (trial_process.py).

The library unpacks the blocks of the file into 32 bits (`GgufConfig(dequantize=True)`), and makes
config and tokenizer of what its header says. What it wrote is then judged and opened as any folder.
"""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GgufConfig
from transformers.utils import logging

from viz_core.adapters.folder import FolderSummary
from viz_core.records import Failure, Message


def convert(summary: FolderSummary, target: Path, name: str) -> None:
    """Write the language model of a GGUF file as config.json, model.safetensors and tokenizer.json.

    Args:
        summary: The folder with the file.
        target: Where to write.
        name: Name of the model in messages.

    Raises:
        Failure: If weights are missing in the file, which the library would draw at random.
        Exception: Whatever the library raises for a file that it cannot read.
    """
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    source = {"gguf_file": summary.weights[0].name, "local_files_only": True, "trust_remote_code": False}
    config = AutoConfig.from_pretrained(summary.path, **source)
    network, found = AutoModelForCausalLM.from_pretrained(
        summary.path,
        config=config,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.float32,
        output_loading_info=True,
        **source,
    )
    if missing := sorted(found["missing_keys"]):
        values = {"tensor": missing[0][:200], "count": len(missing)}
        raise Failure("adapters.misfit", name=name, reason=Message("checkpoints.missing_tensor", values))
    network.save_pretrained(target)
    AutoTokenizer.from_pretrained(summary.path, **source).save_pretrained(target)
