"""The explorer as a self-contained HTML document: for an e-mail, a notebook, or a page without a server."""

import zlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from html import escape
from typing import Any

import numpy as np

from viz_core.explorer.packed_translation import pack_translation
from viz_core.explorer.packing import pack
from viz_core.explorer.shared import read_bundle
from viz_core.language import Translator
from viz_core.records import Explanation, HeadStatistics, Translation
from viz_core.records.translation import Kind
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import Theme

MOST_WEIGHTS = 60_000_000  # above 0: about 45 MB, which browsers still open; 270 causal heads of 512 tokens fit
MANY_BYTES = 2_000_000  # of which nearly all are weights


def standalone_explorer(
    explanation: Explanation,
    statistics: HeadStatistics,
    say: Translator,
    theme: Theme,
    selection: Mapping[str, str] | None = None,
    norms: np.ndarray | None = None,
    dark: Theme | None = None,
    margin: int = 24,
    **fields: Any,
) -> str:
    """HTML document with all heads: about 1.5 bytes per weight, so 13 MB for 32 heads of 512 tokens.

    Of more than `packing.MOST_EXACT` weights, it has them with 12 bits instead of 16, in half the bytes.

    Other arguments are those of `packing.pack`.

    Args:
        dark: Theme that replaces `theme` if the reader's browser prefers dark pages.
        margin: Around the document, px.
    """
    packed = pack(explanation, statistics, say, theme, selection, norms=norms, **_header(dark), **fields)
    return _document(packed, " / ".join(explanation.encoding.texts), say, theme, dark, margin)


def standalone_translation(
    translation: Translation,
    statistics: Mapping[Kind, HeadStatistics],
    say: Translator,
    theme: Theme,
    selection: Mapping[str, str] | None = None,
    dark: Theme | None = None,
    margin: int = 24,
    **fields: Any,
) -> str:
    """HTML document with the three attentions of a translation."""
    packed = pack_translation(translation, statistics, say, theme, selection, **_header(dark), **fields)
    return _document(packed, f"{translation.source.texts[0]} → {translation.text}", say, theme, dark, margin)


def _header(dark: Theme | None) -> dict:
    return {"dark": asdict(dark)} if dark else {}


def _document(packed: bytes, title: str, say: Translator, theme: Theme, dark: Theme | None, margin: int) -> str:
    data = b64encode(_compress(packed)).decode()
    script, style = read_bundle("explorer.js"), read_bundle("explorer.css")
    if dark:
        style += f"@media (prefers-color-scheme: dark){{body{{background:{dark.background}}}}}"
    return (
        f'<!DOCTYPE html><html lang="{say.language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{safe(title[:80])}</title>'
        f"<style>body{{margin:{margin}px;background:{theme.background}}}{style}</style></head><body>"
        f'<div class="instrument"></div><div class="explorer"></div>'
        f'<script type="text/plain" id="explorer-data">{data}</script>'
        f'<script type="module">{script}</script></body></html>'
    )


def _compress(packed: bytes) -> bytes:
    """Compress; among many weights only runs of zeros repeat, and a search for longer matches makes more bytes."""
    strategy = zlib.Z_RLE if len(packed) > MANY_BYTES else zlib.Z_DEFAULT_STRATEGY
    compressor = zlib.compressobj(strategy=strategy)
    return compressor.compress(packed) + compressor.flush()


def notebook(document: str, height: int = 1100) -> str:
    """The document as an iframe for a notebook: `IPython.display.HTML(notebook(...))`.

    Args:
        height: In px.
    """
    return (
        f'<iframe srcdoc="{escape(document, quote=True)}" width="100%" height="{height}" '
        f'style="border:0" sandbox="allow-scripts allow-downloads"></iframe>'
    )
