"""Two inputs, one below the other, with the words marked that only one contains or that moved."""

import numpy as np

from viz_core.language import Translator
from viz_core.records import Comparison, Encoding
from viz_core.rendering.markup import root, safe
from viz_core.rendering.theme import Theme

_SAME, _CHANGED, _MOVED = range(3)  # kinds of tokens
_CSS = """
& .side{display:flex;gap:.9em;margin:.35em 0;align-items:baseline}
& .name{color:var(--am-muted);font-size:var(--am-small);min-width:4.5em}
& .typed{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.8;font-size:calc(var(--am-text)*1.15);min-width:0}
& .letter{font-weight:700;margin-right:.5em} & .a{color:var(--am-a)} & .b{color:var(--am-b)}
& mark{color:inherit;border-radius:3px;padding:.1em 0}
& .before mark{background:color-mix(in srgb,var(--am-removed) 28%,transparent);text-decoration:line-through}
& .after mark{background:color-mix(in srgb,var(--am-added) 32%,transparent);font-weight:600}
& .typed mark.moved{background:none;font-weight:400;text-decoration-line:underline;text-decoration-style:double;
text-decoration-color:var(--am-muted)}
"""


def changed_words(comparison: Comparison, say: Translator, theme: Theme) -> str:
    """HTML of the text or pair before and after, with changed words marked.

    Removed words are orange and struck through, added ones blue and bold. Words that moved are
    underlined twice on both sides.

    Raises:
        ValueError: If marks and tokens differ in number.
    """
    sides = []
    moved_before, moved_after = comparison.pairs[comparison.moved].T
    for name, explanation, changed, moved in (
        ("before", comparison.before, comparison.changed_before, moved_before),
        ("after", comparison.after, comparison.changed_after, moved_after),
    ):
        encoding = explanation.encoding
        if len(changed) != len(encoding.tokens):
            raise ValueError(f"{len(encoding.tokens)} tokens, against {len(changed)} marks: each token needs one")
        kinds = np.where(changed, _CHANGED, _SAME)
        kinds[moved] = _MOVED
        texts = "".join(f"<div>{_text(encoding, number, kinds)}</div>" for number in range(len(encoding.texts)))
        sides.append(
            f'<div class="side {name}"><span class="name">{safe(say(f"rendering.{name}"))}</span>'
            f'<div class="typed">{texts}</div></div>'
        )
    style = f"<style>.am-changes{{--am-removed:{theme.diverging[0]};--am-added:{theme.diverging[-1]}}}</style>"
    return root("am-changes", _CSS, style + "".join(sides), theme)


def _text(encoding: Encoding, number: int, kinds: np.ndarray) -> str:
    """HTML of one text; adjacent tokens of the same kind share a mark."""
    text, pieces, end = encoding.texts[number], [], 0
    for start, stop, kind in _spans(encoding, number, kinds):
        mark = '<mark class="moved">' if kind == _MOVED else "<mark>"
        pieces += [safe(text[end:start]), f"{mark}{safe(text[start:stop])}</mark>"]
        end = stop
    letter = f'<span class="letter {"ab"[number]}">{"AB"[number]}</span>' if len(encoding.texts) > 1 else ""
    return letter + "".join(pieces) + safe(text[end:])


def _spans(encoding: Encoding, number: int, kinds: np.ndarray) -> list[tuple[int, int, int]]:
    """Start, end and kind of the marked parts of a text, adjacent tokens of the same kind merged."""
    own = np.flatnonzero((kinds != _SAME) & ~encoding.special & (encoding.segments == number))
    spans: list[tuple[int, int, int]] = []
    for (start, stop), kind in zip(encoding.offsets[own].tolist(), kinds[own].tolist(), strict=True):
        if spans and spans[-1][2] == kind and not encoding.texts[number][spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], stop, kind)
        else:
            spans.append((start, stop, kind))
    return spans
