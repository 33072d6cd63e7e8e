"""Below the explorer: the prediction and the same selection as figures and files to download."""

from collections.abc import Callable
from datetime import date

import plotly.graph_objects as go
import streamlit as st

from pages.shared import downloads, head_names
from pages.shared.cache import explain_input, input_norms, input_statistics, measures
from pages.shared.health import head_means, prediction_verdict
from pages.shared.own_tasks import task_theme
from pages.shared.selection import parse_heads
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.selection import attention_map, default_source, token_weights
from viz_core.analysis.value_norms import value_weighted
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.standalone import MOST_WEIGHTS, standalone_explorer
from viz_core.language import Translator
from viz_core.records import Explanation
from viz_core.rendering.bars import token_bars
from viz_core.rendering.caption import add_caption, caption, name_head
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.probabilities import probability_bars
from viz_core.rendering.shaded_text import shaded_text
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.theme import Theme
from viz_core.tables.downloads import explanation_npz, map_csv, weights_csv

TOP = 15  # bars shown
LONG_TEXT = 120  # tokens; longer shaded texts scroll, so that the heat map beside them stays visible


def figures(info: CheckpointInfo, explanation: Explanation, selected: dict[str, str]) -> None:
    """An expander with the prediction and the explorer's selection as figures and files to download."""
    expander = st.expander(translator()("pages.figures"), icon=":material/download:", key="figures", on_change="rerun")
    if expander.open:
        with expander:
            _figures(info, explanation, selected)


def _figures(info: CheckpointInfo, explanation: Explanation, selected: dict[str, str]) -> None:
    """The explorer's selection as figures for print and as files."""
    say, theme = translator(), task_theme(explanation.task)
    (layer, head), *other_heads = parse_heads(selected["head"], *explanation.attention.shape[:2])
    if selected.get("measure") == "norms" and "norms" in measures(info):
        explanation = value_weighted(explanation, input_norms(info, explanation))
    st.caption(say("pages.figures_note"))
    if other_heads:
        st.caption(escape_markdown(say("pages.figures_one_head", head=selected["head"].split(" ")[0])))
    named = head_names.label(name_head(layer, head), head_names.names_of(info, explanation.kind))
    text_column, map_column = st.columns([2, 3], gap="large")
    with text_column:
        if explanation.has_prediction:
            bars = probability_bars(explanation, say, theme)
            alt = say(prediction_verdict(explanation, info))
            _show(bars, "probabilities", caption(explanation, say, _today()), alt=alt)
        _token_views(explanation, layer, head, named, selected)
    with map_column:
        _heat_map(explanation, layer, head, named, selected)
    _all_heads(explanation, layer, selected)
    texts, shape = explanation.encoding.texts, explanation.attention.shape
    if explanation.attention.size // (1 + (explanation.kind == "causal")) > MOST_WEIGHTS:  # half of a causal map is 0
        st.caption(say("pages.too_large_to_save", layers=shape[0], heads=shape[1], tokens=shape[2]))
        return
    downloads.whole_input(
        lambda: _standalone(info, texts, say, theme, selected),
        "explorer.html",
        lambda: explanation_npz(explain_input(info, *texts)),
        "attention.npz",
    )


def _standalone(
    info: CheckpointInfo, texts: tuple[str, ...], say: Translator, theme: Theme, selected: dict[str, str]
) -> str:
    explanation = explain_input(info, *texts)
    norms = input_norms(info, explanation) if "norms" in measures(info) else None
    return standalone_explorer(
        explanation,
        input_statistics(explanation),
        say,
        theme,
        selected,
        norms,
        names=head_names.given(info),
        **head_means(info),
    )


def _token_views(
    explanation: Explanation, layer: int | None, head: int | None, named: str, selected: dict[str, str]
) -> None:
    """named: the head in the captions."""
    say = translator()
    source = {"1": "cls", "all": "received"}.get(selected["query"]) or default_source(explanation)
    weights = token_weights(explanation, layer, head, selected["unit"], source, selected["special"])
    text = caption(explanation, say, _today(), named)
    colours = selected["scale"], selected["limit"]
    with st.container(height=420 if len(weights.labels) > LONG_TEXT else "content", border=False):
        _show(
            shaded_text(weights, say, page_theme(), *colours),
            "text",
            text,
            lambda: weights_csv(weights),
            alt=say("explorer.text"),
        )
    bars = token_bars(weights, say, page_theme(), TOP)
    _show(bars, "bars", text, lambda: weights_csv(weights), alt=say(weights.title))


def _heat_map(
    explanation: Explanation, layer: int | None, head: int | None, named: str, selected: dict[str, str]
) -> None:
    say = translator()
    map_ = attention_map(explanation, layer, head, selected["special"], selected["block"], selected["unit"])
    _show(
        attention_heatmap(map_, say, page_theme(), selected["scale"], selected["limit"]),
        "heatmap",
        caption(explanation, say, _today(), named, selected["scale"]),
        lambda: map_csv(map_),
        alt=say(map_.title),
    )


def _all_heads(explanation: Explanation, layer: int | None, selected: dict[str, str]) -> None:
    say = translator()
    layers, heads = explanation.attention.shape[:2]
    layer = layers - 1 if layer is None else layer
    st.header(say("pages.all_heads", layer=layer + 1), anchor="heads")
    st.caption(say("pages.all_heads_note"))
    maps = [
        attention_map(explanation, layer, head, selected["special"], selected["block"], selected["unit"])
        for head in range(heads)
    ]
    titles = [say("pages.head_number", head=head + 1) for head in range(heads)]
    _show(
        head_grid(maps, titles, say, page_theme(), selected["scale"], selected["limit"]),
        "heads",
        caption(explanation, say, _today(), name_head(layer, None), selected["scale"]),
        alt=say("pages.all_heads", layer=layer + 1),
    )


def _show(view: go.Figure | str, name: str, caption: str, csv: Callable[[], str] | None = None, *, alt: str) -> None:
    """A view with its caption and its downloads."""
    downloads.show(add_caption(view, caption, page_theme()), name, csv, alt=alt)


def _today() -> str:
    return date.today().isoformat()
