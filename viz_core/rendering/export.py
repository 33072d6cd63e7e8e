"""Export of views: PNG and SVG through kaleido (which runs Chromium), or self-contained HTML."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import plotly.graph_objects as go

from viz_core.records import Failure
from viz_core.rendering.markup import safe
from viz_core.rendering.theme import Theme

# plotly.js with cartesian traces only, all that the figures use; from npm, by `make bundle`.
PLOTLY = Path(__file__).parent / "plotly-cartesian.min.js.gz"
_DRAW = """
const text = (name) => document.getElementById(name).textContent;
const bytes = Uint8Array.from(atob(text("plotly")), (character) => character.charCodeAt(0));
const script = document.createElement("script");
const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
script.textContent = await new Response(unzipped).text();
document.head.append(script);
JSON.parse(text("contents")).forEach(({ data, layout }, number) =>
  Plotly.newPlot(`figure${number}`, data, layout, { displaylogo: false }));
"""
View: TypeAlias = go.Figure | str
PIXELS = 2  # pixels of a PNG per px of the figure, so that it is sharp in print


def save(view: View, path: Path, theme: Theme, width: int | None = None, height: int | None = None) -> None:
    """Write a figure as `.png`, `.svg` or `.html`, or an HTML view as `.html`, by the suffix of the path.

    Args:
        width, height: In px, instead of the figure's own.

    Raises:
        Failure: For any other suffix.
    """
    suffix = path.suffix.lower()
    formats = (".html", ".png", ".svg") if isinstance(view, go.Figure) else (".html",)
    if suffix not in formats:
        raise Failure("rendering.unknown_format", suffix=suffix, formats=formats)
    if suffix == ".html":
        path.write_text(standalone_html(view, path.stem, theme), encoding="utf-8")
    else:
        path.write_bytes(image(view, suffix[1:], width, height))


def image(figure: go.Figure, format: str, width: int | None = None, height: int | None = None) -> bytes:
    """Render a figure as `png` or `svg`.

    The first call starts a browser, which serves all later ones until the process ends.

    Raises:
        Failure: If neither Chromium nor Chrome is installed.
    """
    import choreographer.errors
    import kaleido  # imported here: it takes half a second, and only the command line and tests draw images

    try:
        kaleido.start_sync_server(mathjax=False, silence_warnings=True)  # MathJax would come from the network
    except choreographer.errors.ChromeNotFoundError as error:
        raise Failure("rendering.no_browser", format=format) from error
    return kaleido.calc_fig_sync(
        figure.to_dict(),
        opts={
            "format": format,
            "scale": PIXELS if format == "png" else 1,
            "width": width or figure.layout.width,
            "height": height or figure.layout.height,
        },
    )


def standalone_html(view: View | Sequence[View], title: str, theme: Theme) -> str:
    """Self-contained HTML document of a view, or of several below each other.

    A figure can be hovered over and zoomed; the first brings 0.7 MB of plotly.js with it.
    """
    views = [view] if isinstance(view, (go.Figure, str)) else view
    figures = [part for part in views if isinstance(part, go.Figure)]
    places = (f'<div id="figure{number}"></div>' for number in range(len(figures)))
    body = "".join(part if isinstance(part, str) else next(places) for part in views)
    body += _drawn(figures) if figures else ""
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{safe(title)}</title><style>'
        f"body{{margin:24px;background:{theme.background};color:{theme.ink};font-family:{theme.font}}}"
        f"</style></head><body>{body}</body></html>"
    )


def _drawn(figures: Sequence[go.Figure]) -> str:
    """The figures, with the part of plotly.js that draws them, compressed."""
    plotly = b64encode(PLOTLY.read_bytes()).decode()
    contents = ",".join(figure.to_json() for figure in figures)
    return (
        f'<script type="text/plain" id="plotly">{plotly}</script>'
        f'<script type="application/json" id="contents">[{contents}]</script>'
        f'<script type="module">{_DRAW}</script>'
    )
