"""The families of models that can be opened, by the `model_type` of their config.json: where the library keeps what our
contract asks for, and what each lacks.

Names of modules as in `transformers`; a base model is the encoder or decoder without what is on top of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from viz_core.models.protocol import AttentionKind


@dataclass(frozen=True)
class Family:
    """embeddings: path in the base model of the module whose output the first layer reads. output: of a layer, the path
    of the linear module that writes its heads into the residual stream. layers: the layers of a base model. through:
    how our attention comes in, by the library's attention interface, in a module of ours, or, with weights alone, after
    the dropout that the path `dropout` of a layer leads to. position_offset: of the first token, given the id of
    padding. lacks: keys of sentences about what cannot be shown.
    """

    embeddings: str
    output: str
    layers: Callable[[nn.Module], Sequence[nn.Module]] = lambda base: base.encoder.layer
    through: str = "interface"
    dropout: str = ""
    kind: AttentionKind = "self"
    position_offset: Callable[[int], int] = lambda padding: 0
    lacks: tuple[str, ...] = ()

    def projections(self, base: nn.Module) -> list[Tensor]:
        """The `(D, D)` of each layer, outputs first; empty where values cannot be seen."""
        if self.through == "dropout":
            return []
        modules = [layer.get_submodule(self.output) for layer in self.layers(base)]
        # GPT-2's Conv1D has its inputs first.
        return [
            module.weight.detach() if isinstance(module, nn.Linear) else module.weight.detach().T for module in modules
        ]


def _after_padding(padding: int) -> int:
    """Positions as in fairseq: they begin after the id of padding."""
    return padding + 1


def _albert_layers(base: nn.Module) -> list[nn.Module]:
    """Layers share their weights in groups: the same module several times."""
    transformer, config = base.encoder, base.config
    return [
        layer
        for number in range(config.num_hidden_layers)
        for layer in transformer.albert_layer_groups[
            int(number / (config.num_hidden_layers / config.num_hidden_groups))
        ].albert_layers
    ]


_BERT = Family("embeddings", "attention.output.dense")
_ROBERTA = Family("embeddings", "attention.output.dense", position_offset=_after_padding)
_DEBERTA = Family(
    "embeddings",
    "attention.output.dense",
    through="dropout",
    dropout="attention.self.dropout",
    lacks=("adapters.lacks_values",),
)

FAMILIES: dict[str, Family] = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "distilbert": Family("embeddings", "attention.out_lin", lambda base: base.transformer.layer),
    "mpnet": Family("embeddings", "attention.attn.o", through="module", position_offset=_after_padding),
    "albert": Family("embeddings", "attention.dense", _albert_layers),
    "electra": _BERT,
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "gpt2": Family("drop", "attn.c_proj", lambda base: base.h, kind="causal"),
}
