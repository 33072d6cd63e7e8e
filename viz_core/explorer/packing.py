"""Packs an explanation into the bytes that the explorer draws: JSON, and weights as fixed point.

Layout: length of the header (uint32, little-endian); the header (JSON, UTF-8); thumbnails of all
heads, `(L, H, rows, columns)` uint8, omitted if all heads are included and small enough to serve as
their own thumbnails; what each token receives from each head, `(L, H, T)`; the exact weights of the
included heads, and the mean of many if it is selected, each `(T, T)`. Weights are first all high
bytes, then all low bytes. Other heads are fetched on demand. Last, if the header says so, the norms
for value-weighted attention (`packed_weights.pack_norms`). A translation has three attentions one
after another (packed_translation.py).
"""

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from viz_core.explorer.packed_sides import text_fields
from viz_core.explorer.packed_weights import COARSE_STEPS, STEPS, Head, pack_heads, pack_norms, planes, pool
from viz_core.explorer.shared import appearance, describe, prediction_fields
from viz_core.language import Translator
from viz_core.records import OTHER, Explanation, HeadProfile, HeadStatistics, HeadWeights, Measure
from viz_core.rendering.theme import Theme

SMALL_BYTES = 160_000  # exact weights of up to this size are sent all at once
SMALL_UPDATE = 32_000  # the same limit while a person types
MOST_EXACT = 20_000_000  # weights above 0; of more, in a file, each is rounded to COARSE_STEPS
# Statistics in both HeadStatistics and HeadProfile.
CRITERIA = (
    *("entropy", "distance", "cls", "sep", "punctuation", "self", "previous", "next", "same"),
    *("first", "duplicate", "induction"),
)
MEASURES: tuple[Measure, ...] = ("weights", "norms")
MAX_SEPARATE = 8  # if more heads are selected, their mean is drawn; as in source/explorer/matrices.js


def pack(
    explanation: Explanation,
    statistics: HeadStatistics,
    say: Translator,
    theme: Theme | None,
    selection: Mapping[str, str] | None = None,
    request: Mapping | None = None,
    norms: np.ndarray | None = None,
    **fields: object,
) -> bytes:
    """Pack everything needed to draw an explanation; all heads if small or if there is no server.

    Args:
        theme: None leaves out theme and messages, for a browser that has them already.
        selection: The initial selection, as in a link (source/explorer/selection.js).
        request: `url` and `body` of requests for further heads; None if there is no server, as in a
            file.
        norms: Norms of the values, `(L, H, T)`, for value-weighted attention; None if it is not
            shown.
        fields: Added to the header, replacing fields of the same name; `measures` lists what can be
            shown, including norms that may be fetched.
    """
    encoding, attention, selection = explanation.encoding, explanation.attention, dict(selection or {})
    limit = SMALL_BYTES if theme else SMALL_UPDATE
    complete = request is None or attention.size * 2 <= limit
    drawn, data = pack_attention(attention, statistics, selection.get("head", ""), complete, norms)
    header = {
        **(appearance(say, theme, "explorer", "instrument") if theme else {}),
        **describe(explanation),
        **text_fields(encoding),
        "id": explanation_id(explanation),
        "model": explanation.model,
        "pooling": explanation.pooling,
        **({"kind": "causal"} if explanation.kind == "causal" else {}),
        "pieces": explanation.task == OTHER or explanation.kind == "causal",  # of words, no characters
        "prediction": prediction_fields(explanation, say),
        "notices": [say(notice) for notice in encoding.notices],
        **drawn,
        "selection": selection,
        "request": request,
        **fields,
    }
    return pack_header(header) + data


def pack_attention(
    attention: HeadWeights, statistics: HeadStatistics, head: str, complete: bool, norms: np.ndarray | None
) -> tuple[dict, bytes]:
    """Header fields of attention `(L, H, Q, K)`, and its weights and norms as bytes.

    In the header: `grid`, rows and columns of a thumbnail; `peaks`, the largest weight of each
    head; `thumbnails`, whether they are included, before the other weights; `sent`, the heads whose
    exact weights are included; `mean`, the heads whose mean weights follow, or None; `steps`, what a
    weight of 1 is in them, if not 65535.

    Args:
        head: The selected heads, as in a link.
        complete: Whether exact weights of all heads are included. If not, those of the selected
            heads, or their mean, so that nothing has to be fetched before they are drawn.
        norms: `(L, H, K)`.
    """
    layers, heads = attention.shape[:2]
    sent = all_heads(layers, heads) if complete else first_heads(head, layers, heads)
    mean = None
    if not complete and len(sent) > MAX_SEPARATE:
        sent, mean = [], sent
    thumbnails, peaks = pool(attention)
    derivable = complete and thumbnails.shape == attention.shape  # the browser can compute the thumbnails
    is_coarse = complete and sum(map(np.count_nonzero, attention)) > MOST_EXACT
    steps = COARSE_STEPS if is_coarse else STEPS
    exact = [planes(attention[index], steps) for index in sent] + ([pack_heads(attention, mean)] if mean else [])
    received = planes(statistics.received.reshape(-1, attention.shape[-1]))
    values = {name: getattr(statistics, name) for name in CRITERIA}
    header = {
        "layers": layers,
        "heads": heads,
        "statistics": {name: np.round(value, 4).tolist() for name, value in values.items() if value is not None},
        "uniform": rounded_uniform(statistics.uniform),
        "grid": thumbnails.shape[2:],
        "peaks": peaks.tolist(),
        "thumbnails": not derivable,
        "sent": sent,
        "mean": mean,
        **({"steps": steps} if is_coarse else {}),
        "measures": MEASURES if norms is not None else MEASURES[:1],
        "hasNorms": norms is not None,
    }
    weighted = b"" if norms is None else pack_norms(attention, norms)
    return header, b"".join([b"" if derivable else thumbnails.tobytes(), received, *exact, weighted])


def rounded_uniform(uniform: Mapping[str, float]) -> dict[str, float]:
    """Statistics of a uniform head, rounded."""
    return {name: round(value, 4) for name, value in uniform.items() if name in CRITERIA}


def corpus_means(profile: HeadProfile) -> dict[str, object]:
    """Statistics over a corpus.

    `rows`, the number of inputs; `statistics` by name; and those of a `uniform` head.
    """
    means = {name: profile.statistics[name] for name in CRITERIA if name in profile.statistics}
    known = {name: np.round(values, 4).tolist() for name, values in means.items() if np.isfinite(values).all()}
    return {"rows": profile.rows, "statistics": known, "uniform": rounded_uniform(profile.uniform)}


def pack_header(header: Mapping) -> bytes:
    """The header with its length, which is all that is sent for a text that the model cannot read."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    header_bytes = text.encode(errors="backslashreplace")  # UTF-8 has no lone surrogates: escaped as in JSON
    return len(header_bytes).to_bytes(4, "little") + header_bytes


def all_heads(layers: int, heads: int) -> list[Head]:
    """All heads, layer by layer."""
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def first_heads(link: str, layers: int, heads: int) -> list[Head]:
    """Heads that a link names as `layer.head`, from 1, `*` for all; the first head if any does not exist."""
    selected = []
    for part in link.split(" "):
        names = part.split(".")
        matching = [
            (layer, head)
            for layer, head in all_heads(layers, heads)
            if len(names) == 2 and names[0] in ("*", str(layer + 1)) and names[1] in ("*", str(head + 1))
        ]
        if not matching:
            return [(0, 0)]
        selected += matching
    return list(dict.fromkeys(selected))


def explanation_id(explanation: Explanation) -> str:
    """A hash that identifies an input, its model and its attention."""
    attention = explanation.attention
    last = attention[-1][:, -1, :8].tolist() if explanation.has_attention else []  # depends on all layers before
    return identity(explanation.task, explanation.model, explanation.encoding.texts, attention.shape, last)


def identity(*content: object) -> str:
    """Hash that identifies an input and its model."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]
