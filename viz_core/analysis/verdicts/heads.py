"""Verdicts on heads: what each of them does on average over many inputs, as messages."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viz_core.records import HeadProfile, Message

UNIFORM = 0.95  # relative entropy: with 30 tokens, as if the head attended to 30 ** 0.95 = 25 of them equally
QUERY_INDEPENDENT = 0.02  # dependence on the query: below this, all rows look the same
MOST = 0.5  # share of the weight: no other target can get more
ACROSS = 0.65  # share on the other sentence, which has about 0.45 of the tokens
SAME = 0.3  # share on the same character, one token out of about thirty
DUPLICATE = 0.95  # redundancy: the rows of both heads differ by 0.05 bit

# What a head may attend to, the most informative first, with the minimum share of the weight.
_TARGETS = {
    "same": SAME,
    "previous": MOST,
    "next": MOST,
    "self": MOST,
    "punctuation": MOST,
    "sep": MOST,
    "cls": MOST,
    "other": ACROSS,
}


@dataclass(frozen=True)
class HeadVerdict:
    """What a head does.

    Attributes:
        layer, head: From 0.
        kind: As in the message key `health.head_<kind>`.
    """

    layer: int
    head: int
    kind: str
    message: Message


def head_verdicts(profile: HeadProfile | None) -> tuple[HeadVerdict, ...]:
    """A sentence for each head with a recognisable pattern, layer by layer; none for a model without heads."""
    if profile is None:
        return ()
    return tuple(
        verdict
        for layer, head in np.ndindex(profile.statistics["entropy"].shape)
        if (verdict := _head(profile, layer, head))
    )


def head_patterns(profile: HeadProfile) -> tuple[Message, ...]:
    """A sentence per pattern: heads with the same pattern share it, in the order of their first heads."""
    groups: dict[tuple, list[Message]] = {}
    for verdict in head_verdicts(profile):
        groups.setdefault((verdict.kind, verdict.message.values.get("other")), []).append(verdict.message)
    return tuple(
        messages[0] if len(messages) == 1 else _group_message(kind, messages, profile.statistics["entropy"].size)
        for (kind, _), messages in groups.items()
    )


def _group_message(kind: str, messages: Sequence[Message], all_heads: int) -> Message:
    """The sentence about two or more heads, which it lists unless they are all heads of the model."""
    values = [float(str(message.values["value"])) for message in messages]
    heads = [message.values["head"] for message in messages]
    all_named = Message("health.all_heads", {"count": all_heads})
    who = all_named if len(heads) == all_heads else Message("health.these_heads", {"heads": heads})
    return Message(
        f"health.heads_{kind}", {**messages[0].values, "heads": who, "low": min(values), "high": max(values)}
    )


def _head(profile: HeadProfile, layer: int, head: int) -> HeadVerdict | None:
    values = {name: float(array[layer, head]) for name, array in profile.statistics.items()}

    def verdict(kind: str, value: float, **details: str) -> HeadVerdict:
        name = {"head": f"{layer + 1}.{head + 1}"}
        return HeadVerdict(layer, head, kind, Message(f"health.head_{kind}", {**name, **details, "value": value}))

    if values["entropy"] >= UNIFORM and values["entropy_cls"] < UNIFORM:
        return verdict("chooses", values["entropy_cls"])
    if values["entropy"] >= UNIFORM:
        return verdict("uniform", values["entropy"])
    if duplicate := _duplicate(profile, layer, head):
        other_layer, other_head, redundancy = duplicate
        return verdict("duplicate", redundancy, other=f"{other_layer + 1}.{other_head + 1}")
    for target, minimum in _TARGETS.items():
        if values.get(target, 0.0) >= minimum:
            return verdict(target, values[target])
    if values["dependence"] <= QUERY_INDEPENDENT:
        return verdict("query_independent", values["dependence"])
    return None


def _duplicate(profile: HeadProfile, layer: int, head: int) -> tuple[int, int, float] | None:
    """Layer, index and redundancy of the most similar earlier head, if the redundancy is at least DUPLICATE."""
    heads = profile.statistics["entropy"].shape[1]
    number = layer * heads + head
    earlier = profile.redundancy[number, :number]
    if not earlier.size or earlier.max() < DUPLICATE:
        return None
    return *divmod(int(earlier.argmax()), heads), float(earlier.max())
