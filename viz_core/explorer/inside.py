"""Packs the computation of a head (records/inside.py) into the bytes that `source/inside/` draws.

Layout: length of the header (uint32, little-endian); the header (JSON, UTF-8); all arrays one after
another, float32, little-endian. The header names them in `arrays`: `{name: [start, shape]}`, where
start counts numbers. Names are those of the records: `query.read`, `key.parts.token`, `head.keys`,
`layer.projected`, `prediction.logits`, `unchanged.weights`, `norms.attention`. The window, which
few steps show, is packed by itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

import numpy as np

from viz_core.explorer.packed_sides import text_fields, token_fields
from viz_core.explorer.packing import pack_header
from viz_core.language import Translator
from viz_core.records import Encoding
from viz_core.records.inside import Inside

# Fields that are the same in the header and the record.
_FIELDS = (
    *("kind", "layer", "head", "norm", "parallel", "centred", "learned", "epsilon", "biases", "activation"),
    *("positions", "divisor", "cap", "pooling"),
)
_OF_PREDICTION = ("temperature", "activation", "predicted", "threshold", "position", "cap")


def pack_inside(
    inside: Inside,
    sides: tuple[Encoding, Encoding],
    labels: tuple[tuple[str, ...], tuple[str, ...]],
    say: Translator,
    **fields: object,
) -> bytes:
    """Pack all arrays but the window.

    Args:
        sides, labels: Tokens of the queries and of the keys, and their labels.
        fields: Added to the header.
    """
    of_head, prediction, unchanged = inside.of_head, inside.prediction, inside.unchanged
    header = {
        **{name: getattr(inside, name) for name in _FIELDS},
        "query": inside.query.index,
        "key": inside.key.index,
        "sizes": dict(inside.sizes),
        "embeddingScale": inside.embedding_scale,
        "slidingWindow": inside.sliding_window,
        "blocks": [asdict(block) for block in inside.blocks],
        "parts": list(inside.query.parts),
        "window": {"start": of_head.start, "length": len(of_head.keys)},
        "entropy": of_head.entropy,
        "lengthening": of_head.lengthening,
        "prediction": {
            "labels": _class_names(inside, say),
            **{name: getattr(prediction, name) for name in _OF_PREDICTION},
            "allClasses": prediction.all_classes,
        },
        "unchanged": unchanged and {"entropy": unchanged.entropy, "predicted": unchanged.predicted},
        "sides": {
            side: token_fields(encoding, names) | text_fields(encoding)
            for side, encoding, names in zip(("query", "key"), sides, labels, strict=True)
        },
        **fields,
    }
    return pack_arrays(dict(_arrays(inside)), header)


def pack_window(inside: Inside) -> bytes:
    """Pack the residual stream of each key of the window, `window.stream`."""
    return pack_arrays({"window.stream": inside.window}, {})


def pack_arrays(arrays: Mapping[str, np.ndarray], header: Mapping[str, object]) -> bytes:
    """Pack arrays in this layout with any header."""
    starts = np.cumsum([0, *(values.size for values in arrays.values())])[:-1]
    placed = {name: [int(start), values.shape] for (name, values), start in zip(arrays.items(), starts, strict=True)}
    numbers = b"".join(values.astype("<f4").tobytes() for values in arrays.values())
    return pack_header({**header, "arrays": placed}) + numbers


def _class_names(inside: Inside, say: Translator) -> list[str]:
    """Display names of the classes; tokens stay as they are."""
    labels = inside.prediction.labels
    return list(labels) if inside.pooling in (None, "last") else [say(f"rendering.label_{label}") for label in labels]


def _arrays(inside: Inside) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays of the record but its window, by name."""
    yield from _arrays_of("norms", inside.norms)
    records = {
        "query": inside.query,
        "key": inside.key,
        "head": inside.of_head,
        "layer": inside.of_layer,
        "prediction": inside.prediction,
        "unchanged": inside.unchanged,
    }
    for name, record in records.items():
        yield from _arrays_of(name, vars(record) if record else {})


def _arrays_of(prefix: str, values: Mapping[str, object]) -> Iterator[tuple[str, np.ndarray]]:
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            yield f"{prefix}.{name}", value
        elif isinstance(value, Mapping):
            yield from _arrays_of(f"{prefix}.{name}", value)
