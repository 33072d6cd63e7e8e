"""The atlas of heads: packs what `source/atlas/` draws, and as a document of its own.

Layout: length of the header (uint32, little-endian); the header (JSON, UTF-8); thumbnails of all heads
on one text, `(L, H, rows, columns)` uint8 as in packing.py, if there is a text. Statistics are lists of
N = L·H numbers, layer by layer.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viz_core.explorer.packed_weights import pool
from viz_core.explorer.packing import identity, pack_header
from viz_core.explorer.shared import appearance, read_bundle
from viz_core.language import Translator
from viz_core.records import HeadImportance, HeadSurvey, HeadWeights
from viz_core.records.translation import Kind
from viz_core.rendering.checks import check_finite
from viz_core.rendering.labels import excerpt
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import Theme

IMPORTANCE = "importance"  # the change of the loss without a head, if it has been measured
GROUP = "group"  # as a colour: which heads have similar attention
DIGITS = 4  # decimals; intervals are wider
LONGEST_TEXT = 60  # columns of the text below a thumbnail, in Latin letters
_FIRST: dict[Kind, tuple[str, str, str]] = {
    "self": ("previous", "entropy", "same"),
    "causal": ("first", "previous", "induction"),
    "cross": ("entropy", "dependence", "punctuation"),
}

Head = tuple[int, int]  # layer and head, from 0


@dataclass(frozen=True, eq=False)
class Thumbnails:
    """The attention of all heads on one text.

    Attributes:
        cells: `(L, H, rows, columns)` uint8, as of `packed_weights.pool`.
        peaks: `(L, H)` largest weights.
        tokens: Number of keys.
        text: The text, or both.
    """

    cells: np.ndarray
    peaks: np.ndarray
    tokens: int
    text: str

    @staticmethod
    def of(attention: HeadWeights, texts: Sequence[str]) -> "Thumbnails":
        """Of attention `(L, H, Q, K)`."""
        return Thumbnails(*pool(attention), attention.shape[-1], excerpt(" / ".join(texts), LONGEST_TEXT))


def atlas_values(survey: HeadSurvey, importance: HeadImportance | None = None) -> dict[str, np.ndarray]:
    """What an axis or a colour can show, `(L, H)` by name."""
    values = {name: np.asarray(statistic.mean, float) for name, statistic in survey.statistics.items()}
    return values if importance is None else {**values, IMPORTANCE: np.asarray(importance.loss_change, float)}


def first_choices(survey: HeadSurvey) -> dict[str, str]:
    """What `x`, `y` and `colour` show at first, as far as it is measured: no colour that is dark for a uniform head."""
    x, y, colour = _FIRST[survey.kind]
    wanted = {"x": (x, "entropy"), "y": (y, "entropy"), "colour": (colour, "dependence", "entropy")}
    return {choice: next(name for name in names if name in survey.statistics) for choice, names in wanted.items()}


def pack_atlas(
    survey: HeadSurvey,
    say: Translator,
    theme: Theme,
    *,
    importance: HeadImportance | None = None,
    groups: Sequence[Sequence[int]] = (),
    groups_note: str = "",
    found: Sequence[tuple[str, Sequence[Head]]] = (),
    names: Mapping[str, str] | None = None,
    thumbnails: Thumbnails | None = None,
    chosen: Mapping[str, str] | None = None,
    **fields: object,
) -> bytes:
    """Pack the atlas of a survey.

    Args:
        groups: Heads with similar attention, by their numbers.
        groups_note: What makes a group.
        found: What stands out, a sentence each, and the heads that it names.
        names: What people call heads, by attention and head, from 1: `self 2.4`.
        chosen: What `x`, `y` and `colour` show, by default `first_choices`.
        fields: Added to the header.

    Raises:
        ValueError: If something unknown is chosen, or the importance is of other heads.
        Failure: If numbers are not finite.
    """
    layers, heads = survey.shape
    measures = _measures(survey, importance, say)
    chosen = first_choices(survey) | dict(chosen or {})
    for choice, name in chosen.items():
        if name not in measures and (choice, name) != ("colour", GROUP):
            raise ValueError(f"{name!r} is not one of {', '.join(measures)}")
    group_of = {head: number for number, group in enumerate(groups) for head in group}
    header = {
        **appearance(say, theme, "atlas"),
        "layers": layers,
        "heads": heads,
        "measures": measures,
        "groups": [group_of.get(number, -1) for number in range(layers * heads)],
        "groupsNote": groups_note,
        "found": [{"text": text, "heads": [survey.number(*head) for head in named]} for text, named in found],
        "named": list(dict.fromkeys(survey.number(*head) for _, named in found for head in named)),
        "kind": survey.kind,
        "names": dict(names or {}),
        "thumbnail": thumbnails
        and {
            "grid": thumbnails.cells.shape[2:],
            "peaks": thumbnails.peaks.ravel().round(DIGITS).tolist(),
            "tokens": thumbnails.tokens,
            "text": thumbnails.text,
        },
        "opens": False,
        "turns": 0,
        **fields,
    }
    cells = b"" if thumbnails is None else thumbnails.cells.tobytes()
    return pack_header({**header, "id": identity(header, cells), "link": chosen}) + cells


def _measures(survey: HeadSurvey, importance: HeadImportance | None, say: Translator) -> dict[str, dict]:
    """The statistics by name: unit, title, numbers with their intervals, and the number of a uniform head, if any."""
    measured: dict[str, tuple[np.ndarray, np.ndarray, float | None]] = {
        name: (statistic.mean, statistic.interval, round(statistic.uniform, DIGITS))
        for name, statistic in survey.statistics.items()
    }
    if importance is not None:
        measured[IMPORTANCE] = importance.loss_change, importance.loss_interval, None
    units = {"distance": "tokens", IMPORTANCE: "change"}
    for name, (values, _, _) in measured.items():
        if np.shape(values) != survey.shape:
            raise ValueError(f"{name} of shape {np.shape(values)}: the survey has {survey.shape}")
        check_finite(np.asarray(values))
    return {
        name: {
            "title": say(f"health.statistic_{name}"),
            "unit": units.get(name, "share"),
            "values": np.ravel(values).round(DIGITS).tolist(),
            "low": np.ravel(np.asarray(interval)[..., 0]).round(DIGITS).tolist(),
            "high": np.ravel(np.asarray(interval)[..., 1]).round(DIGITS).tolist(),
            "uniform": uniform,
        }
        for name, (values, interval, uniform) in measured.items()
    }


def standalone_atlas(packed: bytes, title: str, say: Translator, theme: Theme, margin: int = 24) -> str:
    """HTML document that needs no server. margin: px around it."""
    return (
        f'<!DOCTYPE html><html lang="{say.language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{safe(title)}</title>'
        f"<style>body{{margin:{margin}px;background:{theme.background}}}{read_bundle('atlas.css')}</style></head><body>"
        f'<div class="explorer atlas"></div>'
        f'<script type="text/plain" id="atlas-data">{b64encode(packed).decode()}</script>'
        f'<script type="module">{read_bundle("atlas.js")}</script></body></html>'
    )
