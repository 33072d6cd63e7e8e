"""What does each head, and each feed-forward layer, add directly to the difference of two logits?

Direct logit attribution: what a part writes into the residual stream is sent through the last
normalisation, as it scales the whole stream, and the output layer (Elhage et al. 2021, "A
Mathematical Framework for Transformer Circuits",
https://transformer-circuits.pub/2021/framework; Wang et al. 2022, "Interpretability in the Wild",
section 3.1, https://arxiv.org/abs/2211.00593). What later layers make of it is counted with these.

Shapes: L layers, H heads, N tokens that the classifier reads, D model width, C classes.
"""

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.read_out import logit_factor, record_tokens, require_read_out, residual_streams
from viz_core.checkpoints import Checkpoint
from viz_core.records import DirectContributions, Explanation, Failure, read_only


@torch.inference_mode()
def direct_contributions(
    checkpoint: Checkpoint, explanation: Explanation, chosen: int, against: int
) -> DirectContributions:
    """Split the logit of one class minus that of another into what each part adds.

    Args:
        chosen, against: Places of the classes among the labels of the explanation.

    Raises:
        Failure: For a model whose logits are no sum over its parts.
    """
    read_out, layers = require_read_out(checkpoint), range(len(explanation.attention))
    kept, logits = record_tokens(
        checkpoint, explanation.encoding, _read(explanation), {"residual_before", "head_outputs", "attention_output"}
    )
    streams = residual_streams(kept, len(layers))  # (L + 1, N, D)
    factor = logit_factor(checkpoint, read_out.logits(streams[-1]).mean(0), logits)
    rows = [explanation.logit(label) for label in (chosen, against)]
    row = factor * (read_out.output.weight[rows[0]] - read_out.output.weight[rows[1]])  # (D,)
    directions = read_out.directions(streams[-1], row) / streams.shape[1]

    def added(parts: Tensor) -> Tensor:
        """Map `(…, N, D)` to `(…)`."""
        return (parts * directions).sum((-2, -1))

    attention = torch.stack([kept["attention_output", layer] for layer in layers])  # (L, N, D)
    heads = torch.stack([kept["head_outputs", layer] for layer in layers])  # (L, H, N, D)
    constant = read_out.norm(torch.zeros_like(row)) @ row
    if read_out.output.bias is not None:
        constant = constant + factor * (read_out.output.bias[rows[0]] - read_out.output.bias[rows[1]])
    return DirectContributions(
        chosen=explanation.labels[chosen],
        against=explanation.labels[against],
        heads=read_only(added(heads).cpu().numpy()),
        feedforward=read_only(added(streams.diff(dim=0) - attention).cpu().numpy()),
        embedding=float(added(streams[0])),
        biases=float(added(attention - heads.sum(1)).sum() + constant),
        difference=float(logits[rows[0]] - logits[rows[1]]),
    )


def with_likeliest_other(explanation: Explanation, chosen: int | None = None) -> tuple[int, int]:
    """Places of a class, by default the predicted one, and of the likeliest class but this.

    Raises:
        Failure: Without two classes.
    """
    if len(explanation.labels) < 2:
        raise Failure("direct.no_classes", name=explanation.model)
    chosen = explanation.predicted if chosen is None else chosen
    order = np.argsort(-explanation.probabilities, kind="stable").tolist()
    return chosen, next(label for label in order if label != chosen)


def _read(explanation: Explanation) -> list[int]:
    """Places of the tokens that the classifier reads."""
    T = len(explanation.encoding.ids)
    return {"cls": [0], "last": [T - 1]}.get(explanation.pooling, list(range(T)))
