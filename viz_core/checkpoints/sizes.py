"""How large a model may be that is read from a folder. What may be trained depends on memory (training/estimate.py)."""

from __future__ import annotations

from reprlib import repr as shorten

from viz_core.models.protocol import ModelConfig

# The models of the papers that we teach (Transformer big, BERT-large, GPT-2) stay below.
LARGEST = {
    "vocabulary": 10**6,
    "max_tokens": 8192,
    "layers": 64,
    "heads": 64,
    "width": 8192,
    "feedforward": 32_768,
    "segments": 16,
    "classes": 10**6,
}
MOST_PARAMETERS = 10**9  # 4 GB of weights
MOST_WEIGHTS = 2**28  # attention weights of a text, L·H·T²: 1 GB


def check_size(config: ModelConfig) -> None:
    """Raises ValueError, naming the value, for a model that is larger than any that we teach."""
    for name, largest in LARGEST.items():
        if (value := getattr(config, name, 0)) > largest:
            raise ValueError(f"{name} is {shorten(value)}: it must be at most {largest:,}")
    if (parameters := config.parameters()) > MOST_PARAMETERS:
        raise ValueError(f"the model would have {parameters:,} parameters: at most {MOST_PARAMETERS:,} are possible")
    if (weights := config.layers * config.heads * config.max_tokens**2) > MOST_WEIGHTS:
        raise ValueError(
            f"a text of {config.max_tokens:,} tokens would have {weights:,} attention weights in {config.layers} "
            f"layers of {config.heads} heads: at most {MOST_WEIGHTS:,} are possible"
        )
