"""The blocks of a Transformer in the order of the computation, with their parameters: the boxes of its diagram."""

from collections.abc import Iterable, Iterator

from torch import Tensor

from viz_core.models.anatomy import Anatomy
from viz_core.models.anatomy import Stack as StackParts
from viz_core.records.inside import Block, Stack

_Weights = Iterable[Tensor | tuple | None]  # a Linear or a Norm is a tuple, and so is what has no weights


def model_blocks(anatomy: Anatomy) -> tuple[Block, ...]:
    """The blocks, whose parameters add up to those of the model."""
    counted: set[tuple[int, int]] = set()  # addresses and sizes of tensors
    blocks = []
    for name, stack, layer, weights in _parts(anatomy):
        tensors = [tensor for part in weights for tensor in ([part] if isinstance(part, Tensor) else part or ())]
        own = {(tensor.data_ptr(), tensor.numel()): tensor.numel() for tensor in tensors if isinstance(tensor, Tensor)}
        blocks.append(Block(name, stack, layer, sum(size for key, size in own.items() if key not in counted)))
        counted |= own.keys()
    return tuple(blocks)


def _parts(anatomy: Anatomy) -> Iterator[tuple[str, Stack, int | None, _Weights]]:
    """Name, stack and layer of each block, with its content."""
    # A decoder without an encoder is drawn like an encoder with a classifier.
    alone = anatomy.encoder is None or anatomy.decoder is None
    names: tuple[Stack, ...] = ("encoder",) if alone else ("encoder", "decoder")
    for name, stack in zip(names, filter(None, (anatomy.encoder, anatomy.decoder)), strict=True):
        yield from _stack(name, stack, anatomy.positions == "learned")
    if anatomy.classifier_hidden:
        yield "classifier_hidden", name, None, [anatomy.classifier_hidden]
    if anatomy.classifier:
        yield "classifier", name, None, [anatomy.classifier]


def _stack(name: Stack, stack: StackParts, learned: bool) -> Iterator[tuple[str, Stack, int | None, _Weights]]:
    """Blocks of a stack.

    Args:
        learned: Whether its position embeddings are learned.
    """
    tables = [table for part, table in stack.embeddings.items() if part != "position" or learned]
    yield "embedding", name, None, [*tables, stack.embedding_norm]
    if stack.convolution:
        yield "stem", name, None, [stack.convolution, stack.stem_norm]
    if stack.mapping:
        yield "mapping", name, None, [stack.mapping]
    for number, layer in enumerate(stack.layers):
        for kind, parts in layer.attentions.items():
            attention = "cross_attention" if kind == "cross" else "attention"
            yield attention, name, number, parts
        yield "feedforward", name, number, layer.feedforward
    if stack.final_norm:
        yield "norm", name, None, [stack.final_norm]
