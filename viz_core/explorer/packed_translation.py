"""Packs a translation: three attentions between two sentences, in the layout of packing.py one after another.

The header has every side once, in `sides`: the source, the target as the decoder reads it, and the tokens that it
produces. Each entry of `attentions` names those of its queries and keys, and says what `packing.pack` says of its only
attention.
"""

from collections.abc import Mapping, Sequence

from viz_core.explorer.packed_sides import text_fields, token_fields
from viz_core.explorer.packing import SMALL_BYTES, SMALL_UPDATE, identity, pack_attention, pack_header
from viz_core.explorer.shared import appearance
from viz_core.language import Translator
from viz_core.records import OTHER_TRANSLATION, Encoding, HeadStatistics, Translation
from viz_core.records.translation import Kind
from viz_core.rendering.theme import Theme

# Queries and keys, as in Translation.sides; the first kind is shown first.
SIDES: dict[Kind, tuple[str, str]] = {
    "cross": ("output", "source"),
    "self": ("source", "source"),
    "causal": ("target", "target"),
}


def pack_translation(
    translation: Translation,
    statistics: Mapping[Kind, HeadStatistics],
    say: Translator,
    theme: Theme | None,
    selection: Mapping[str, str] | None = None,
    request: Mapping | None = None,
    **fields: object,
) -> bytes:
    """Everything that a drawing of the three attentions needs. Arguments as of `packing.pack`.

    statistics: of each kind. The selection may name a `kind`. Requests for further heads also name the kind, which the
    browser adds, and the `outputs`: the ids that the decoder reads after [CLS], and the last one that it produces.
    """
    outputs = [*translation.target.ids[1:].tolist(), translation.steps[-1].output.id]
    selection = dict(selection or {})
    limit = SMALL_BYTES if theme else SMALL_UPDATE
    complete = request is None or sum(weights.size for weights in translation.attention.values()) * 2 <= limit
    last = [translation.attention[kind][..., -1, :8].tolist() for kind in SIDES]
    norms, head = translation.value_norms, selection.get("head", "")
    packed = [
        pack_attention(translation.attention[kind], statistics[kind], head, complete, norms.get(kind)) for kind in SIDES
    ]
    header = {
        **(appearance(say, theme, "explorer", "instrument") if theme else {}),
        "id": identity(translation.task, translation.model, translation.source.texts, translation.outputs, last),
        "model": translation.model,
        "pieces": translation.task == OTHER_TRANSLATION,  # tokens are pieces of words, no characters
        "notices": [say(notice) for notice in translation.notices],
        "sides": {
            "source": _side(translation.source),
            "target": _side(translation.target),
            "output": _side(translation.output_encoding, translation.outputs),
        },
        "attentions": [
            {"kind": kind, "sides": SIDES[kind], **drawn} for kind, (drawn, _) in zip(SIDES, packed, strict=True)
        ],
        "selection": selection,
        "request": request and {**request, "body": {**request["body"], "outputs": outputs}},
        **fields,
    }
    return pack_header(header) + b"".join(data for _, data in packed)


def _side(encoding: Encoding, labels: Sequence[str] = ()) -> dict:
    return token_fields(encoding, labels) | text_fields(encoding)
