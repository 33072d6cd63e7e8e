"""What the commands do with a model that classifies: predict, explain, draw a figure, measure."""

import argparse
from datetime import date

import pandas as pd
import plotly.graph_objects as go

from viz_core.analysis.evaluation.metrics import metrics
from viz_core.analysis.explain import explain as explain_text
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.selection import attention_map, default_source, token_weights
from viz_core.analysis.value_norms import value_norms, value_weighted
from viz_core.batch_prediction.rows import predict_rows
from viz_core.checkpoints import Checkpoint
from viz_core.commands.inside_views import INSIDE_VIEWS, LENS, ORDER, ORDER_ATTENTION, PLANE, draw_inside
from viz_core.commands.output import EXPLORER, check_view, index_of, save_document, write_file
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.records import Explanation, Failure, Figures
from viz_core.rendering.bars import token_bars
from viz_core.rendering.caption import add_caption, caption, name_head
from viz_core.rendering.export import save
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.probabilities import probability_bars
from viz_core.rendering.scales import Scale
from viz_core.rendering.shaded_text import shaded_text
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.theme import Theme, theme
from viz_core.rendering.token_table import token_table
from viz_core.tables.csv_rows import csv_rows
from viz_core.tables.downloads import explanation_npz

_WITHOUT_ATTENTION = ("probabilities", "tokens")  # views that need none
VIEWS = (EXPLORER, "heatmap", "heads", LENS, "cls", "text", PLANE, ORDER, ORDER_ATTENTION, *_WITHOUT_ATTENTION)
_WITHOUT_HEAD = (LENS, ORDER, ORDER_ATTENTION, *_WITHOUT_ATTENTION)  # their captions name no layer and no head


def _predict(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict | list[dict]:
    if args.csv and not checkpoint.task.labels:
        raise Failure("rendering.no_prediction")
    if args.csv:
        rows = predict_rows(checkpoint, csv_rows(args.csv, bool(checkpoint.task.pair)))
        return [{**row, "notices": [say(notice) for notice in row["notices"]]} for row in rows]
    explanation = explain_text(checkpoint, args.text, args.text_b)
    return {
        **_prediction(explanation),
        "tokens": list(explanation.encoding.tokens),
        "notices": [say(notice) for notice in explanation.notices],
    }


def _explain(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    explanation = explain_text(checkpoint, args.text, args.text_b)
    _require_attention(explanation)
    write_file(args.out, lambda path: path.write_bytes(explanation_npz(explanation)))
    return {**_prediction(explanation), "attention": list(explanation.attention.shape), "out": args.out}


def _figure(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    check_view(args.view, VIEWS)
    explanation = explain_text(checkpoint, args.text, args.text_b)
    if args.view not in _WITHOUT_ATTENTION:
        _require_attention(explanation)
    layers, heads = explanation.attention.shape[:2]
    layer, head = index_of("layer", args.layer, layers), index_of("head", args.head, heads)
    selected_theme = theme("dark" if args.dark else "light")
    norms = value_norms(checkpoint, explanation.encoding) if args.measure == "norms" else None
    if args.view == EXPLORER:
        selection = {"head": f"{args.layer or '*'}.{args.head or '*'}", "scale": args.scale}
        selection |= {} if norms is None else {"measure": "norms"}
        document = standalone_explorer(explanation, head_statistics(explanation), say, selected_theme, selection, norms)
        save_document(document, args.out)
    else:
        if args.view in INSIDE_VIEWS:
            view = draw_inside(args.view, checkpoint, explanation, layer, head, say, selected_theme)
        else:
            shown = explanation if norms is None else value_weighted(explanation, norms)
            view = _view(args.view, shown, layer, head, args.scale, say, selected_theme)
        text = _caption(args.view, explanation, layer, head, args.scale, say)
        write_file(args.out, lambda path: save(add_caption(view, text, selected_theme), path, selected_theme))
    return {**_prediction(explanation), "view": args.view, "out": args.out}


def _require_attention(explanation: Explanation) -> None:
    """Raises Failure, naming the views that remain, for a model without attention."""
    if not explanation.has_attention:
        raise Failure("cli.no_attention", model=explanation.model, views=", ".join(_WITHOUT_ATTENTION))


def _prediction(explanation: Explanation) -> dict:
    return {
        "model": explanation.model,
        "label": explanation.labels[explanation.predicted] if explanation.has_prediction else None,
        "probabilities": dict(zip(explanation.labels, explanation.probabilities.tolist(), strict=True)),
        "threshold": explanation.threshold,
    }


def _view(
    view: str,
    explanation: Explanation,
    layer: int | None,
    head: int | None,
    scale: Scale,
    say: Translator,
    theme: Theme,
) -> go.Figure | str:
    """The figure or HTML of one view."""
    if view == "heatmap":
        return attention_heatmap(attention_map(explanation, layer, head), say, theme, scale)
    if view == "heads":
        numbers = range(explanation.attention.shape[1])
        titles = [say("pages.head_number", head=number + 1) for number in numbers]
        return head_grid([attention_map(explanation, layer, number) for number in numbers], titles, say, theme, scale)
    if view in ("cls", "text"):
        weights = token_weights(explanation, layer, head, source=default_source(explanation))
        return token_bars(weights, say, theme) if view == "cls" else shaded_text(weights, say, theme)
    return (
        probability_bars(explanation, say, theme)
        if view == "probabilities"
        else token_table(explanation.encoding, say, theme)
    )


def _caption(
    view: str, explanation: Explanation, layer: int | None, head: int | None, scale: str, say: Translator
) -> str:
    if view == PLANE:
        layer, head = layer or 0, head or 0
    shown = "" if view in _WITHOUT_HEAD else name_head(layer, None if view == "heads" else head)
    scaled = scale if view in ("heatmap", "heads") else ""
    return caption(explanation, say, date.today().isoformat(), shown, scaled)


def measure(checkpoint: Checkpoint, frame: pd.DataFrame, data: str) -> Figures:
    settings, examples = checkpoint.settings, checkpoint.task.examples(frame, checkpoint.text_encoder)
    return metrics(checkpoint.logits(examples), examples.labels, settings.temperature, settings.threshold)


VERBS = {"predict": _predict, "explain": _explain, "figure": _figure}
