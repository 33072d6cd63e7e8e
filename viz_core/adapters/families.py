"""What families of models do otherwise than `network.prepare` expects, by the `model_type` of their config.json.

A family whose attention goes through the attention interface of `transformers` needs no record.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """attention: how ours comes in: by the library's `interface`; in place of a `module` that does not go through it
    (mpnet.py); or, where only the weights can be seen, after the `dropout` that applies to them, whose path ends with
    these names. layers: the name of the list of layers, where it is not the outermost one. lacks: keys of sentences
    about what cannot be shown.
    """

    attention: str = "interface"
    dropout: str = ""
    layers: str = ""
    lacks: tuple[str, ...] = ()


_DEBERTA = Family("dropout", "attention.self.dropout", lacks=("adapters.lacks_values",))
_T5 = Family(lacks=("adapters.position_bias",))
FAMILIES = {
    "albert": Family(layers="albert_layers"),  # in groups that share their weights
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA,
    "mpnet": Family("module"),
    "t5": _T5,
    "mt5": _T5,
}
