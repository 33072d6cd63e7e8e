"""What an encoder adds to its tokens to say where they stand, and the same encoder without it."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from viz_core.models.encoder import Encoder


def position_embeddings(model: nn.Module) -> Tensor | None:
    """What is added to the token at each position, `(max_tokens, D)`; None for a model that adds nothing."""
    if not isinstance(model, Encoder):
        return None
    return (model.embedding.position.weight if model.embedding.learned else model.embedding.sinusoid).detach()


def without_positions(encoder: Encoder) -> Encoder:
    """The encoder with position embeddings of 0; all other tensors are shared with it, and it stays as it is."""
    tensors = {id(tensor): tensor for tensor in (*encoder.parameters(), *encoder.buffers())}
    twin = copy.deepcopy(encoder, tensors)  # a tensor in this memo is not copied
    embeddings = encoder.embedding
    zeros = torch.zeros_like(embeddings.position.weight if embeddings.learned else embeddings.sinusoid)
    if twin.embedding.learned:
        twin.embedding.position.weight = nn.Parameter(zeros, requires_grad=False)
    else:
        twin.embedding.sinusoid = zeros
    return twin
