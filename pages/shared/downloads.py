"""A view with its download menu: PNG and SVG are made in the browser, HTML and CSV by the server on demand."""

from collections.abc import Callable, Mapping
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.visitor import page_theme, translator
from pages.shared.wording import row_label
from viz_core.rendering.export import standalone_html

_HERE = Path(__file__).parent
_images = st.components.v2.component(
    "image_downloads",
    html='<div class="formats"></div>',
    css=(_HERE / "image_downloads.css").read_text(encoding="utf-8"),
    js=(_HERE / "image_downloads.js").read_text(encoding="utf-8"),
)


def show(
    view: go.Figure | str,
    name: str,
    csv: Callable[[], str] | None = None,
    *,
    alt: str,
    on_select: Callable[[], None] | None = None,
) -> None:
    """Draws a figure or an HTML view with a menu of downloads.

    alt: the title of the view. csv: returns the view's numbers as CSV. on_select: called when a point of the figure is
    clicked; the session holds the selection as `chart_<name>`.
    """
    _chart(view, name, alt, on_select)
    _menu(view, name, csv, alt)


def _chart(view: go.Figure | str, name: str, alt: str, on_select: Callable[[], None] | None) -> None:
    """The figure or view without its menu."""
    clicks = {"on_select": on_select, "selection_mode": "points"} if on_select else {}
    with st.container(key=f"view_{name}"):
        if isinstance(view, go.Figure):
            view.update_layout(dragmode=False)  # a finger scrolls the page; zooming is a button of the chart
            st.plotly_chart(
                view,
                theme=None,
                width="content",
                key=f"chart_{name}",
                alt=alt,
                config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
                **clicks,
            )
        else:
            st.html(f'<div class="view">{view}</div>')


def _menu(view: go.Figure | str, name: str, csv: Callable[[], str] | None, title: str) -> None:
    """The menu of downloads of a view. title: of the HTML page, and what screen readers call the view."""
    say, theme, key = translator(), page_theme(), f"view_{name}"
    makers: dict[str, Callable] = {"html": lambda: standalone_html(view, title, theme)}
    if csv is not None:
        # With a byte order mark, without which Excel does not read the file as UTF-8.
        makers["csv"] = lambda: csv().encode("utf-8-sig")
    with files(name, title, makers):
        _images(
            key=f"images_{name}",
            data={
                "target": key,
                "name": name,
                "failed": say("pages.download_failed"),
                "labels": {"png": "PNG", "svg": "SVG"},
            },
        )


def files(name: str, title: str, makers: Mapping[str, Callable]) -> DeltaGenerator:
    """A menu of downloads; returns a place above them. makers: what makes each file, by its suffix."""
    label = row_label(translator()("pages.download"), title)
    with st.popover(label, icon=":material/download:", type="tertiary", key=f"menu_{name}"):
        above = st.container()
        for form, make in makers.items():
            file, key = f"{name}.{form}", f"{form}_{name}"
            st.download_button(form.upper(), make, file, f"text/{form}", key=key, on_click="ignore", width="stretch")
    return above


def whole_input(html: Callable[[], str], html_name: str, npz: Callable[[], bytes], npz_name: str) -> None:
    """Two buttons: the explorer as a file, and all attention of what it shows. html, npz: called on a click, outside
    the run of the page."""
    say = translator()
    with st.container(horizontal=True, gap="small"):
        for label, make, name, mime, icon, key in (
            ("explorer", html, html_name, "text/html", "open_in_browser", "save_explorer"),
            ("npz", npz, npz_name, "application/octet-stream", "data_array", "npz"),
        ):
            st.download_button(
                say(f"pages.download_{label}"), make, name, mime, on_click="ignore", icon=f":material/{icon}:", key=key
            )
