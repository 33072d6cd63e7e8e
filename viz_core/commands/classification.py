"""Commands on a classification model: predict, explain, draw a figure, measure."""

import argparse
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from viz_core.analysis.direct_contributions import direct_contributions, with_likeliest_other
from viz_core.analysis.evaluation.metrics import metrics
from viz_core.analysis.evaluation.word_order import order_effects
from viz_core.analysis.explain import explain as explain_text
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.inside.logit_lens import class_lens, text_lens
from viz_core.analysis.inside.query_key_plane import query_key_plane
from viz_core.analysis.selection import attention_map, default_source, token_weights
from viz_core.analysis.value_norms import value_norms, value_weighted
from viz_core.batch_prediction.rows import predict_rows
from viz_core.checkpoints import Checkpoint
from viz_core.commands.changing import what_if
from viz_core.commands.drawing import (
    CONTRIBUTIONS,
    EXPLORER,
    LENS,
    MAPS,
    ORDER,
    ORDER_ATTENTION,
    PLANE,
    WITHOUT_ATTENTION,
    check_view,
    draw,
)
from viz_core.commands.output import write_file
from viz_core.commands.patching import patch
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.records import Explanation, Failure, Figures, tracked_class
from viz_core.rendering.bars import token_bars
from viz_core.rendering.direct_contributions import contribution_map
from viz_core.rendering.logit_lens import POSITIONS, class_lines, token_cells
from viz_core.rendering.probabilities import probability_bars
from viz_core.rendering.query_key_plane import query_key_scatter
from viz_core.rendering.shaded_text import shaded_text
from viz_core.rendering.theme import Theme
from viz_core.rendering.token_table import token_table
from viz_core.rendering.word_order import order_attention, order_probabilities
from viz_core.tables.csv_rows import csv_rows
from viz_core.tables.downloads import explanation_npz

VIEWS = (EXPLORER, *MAPS, LENS, CONTRIBUTIONS, "cls", "text", PLANE, ORDER, ORDER_ATTENTION, *WITHOUT_ATTENTION)


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
    if args.view not in WITHOUT_ATTENTION:
        _require_attention(explanation)
    norms = value_norms(checkpoint, explanation.encoding) if args.measure == "norms" else None
    shown = explanation if norms is None else value_weighted(explanation, norms)
    draw(
        args,
        say,
        shown,
        explanation.attention.shape[:2],
        partial(attention_map, shown),
        partial(_view, args.view, checkpoint, shown, say),
        lambda colours, selection: standalone_explorer(
            explanation, head_statistics(explanation), say, colours, selection, norms
        ),
    )
    return {**_prediction(explanation), "view": args.view, "out": args.out}


def _require_attention(explanation: Explanation) -> None:
    """Check that a model has attention.

    Raises:
        Failure: If it has none, naming the views that remain.
    """
    if not explanation.has_attention:
        raise Failure("cli.no_attention", model=explanation.model, views=", ".join(WITHOUT_ATTENTION))


def _prediction(explanation: Explanation) -> dict:
    return {
        "model": explanation.model,
        "label": explanation.labels[explanation.predicted] if explanation.has_prediction else None,
        "probabilities": dict(zip(explanation.labels, explanation.probabilities.tolist(), strict=True)),
        "threshold": explanation.threshold,
    }


def _view(
    view: str,
    checkpoint: Checkpoint,
    explanation: Explanation,
    say: Translator,
    layer: int | None,
    head: int | None,
    theme: Theme,
) -> go.Figure | str:
    """The figure or HTML of a view that is not one of MAPS.

    For a model from elsewhere the logit lens, the plane and word order need one of our encoders
    that computes the same.

    Raises:
        Failure: If the model does not have what the view shows.
    """
    encoding = explanation.encoding
    if view in ("cls", "text"):
        weights = token_weights(explanation, layer, head, source=default_source(explanation))
        return token_bars(weights, say, theme) if view == "cls" else shaded_text(weights, say, theme)
    if view == "probabilities":
        return probability_bars(explanation, say, theme.with_colours(checkpoint.task.colours))
    if view == "tokens":
        return token_table(encoding, say, theme)
    if view == LENS:
        return _lens(checkpoint, explanation, say, theme)
    if view == CONTRIBUTIONS:
        chosen, against = with_likeliest_other(explanation)
        return contribution_map(direct_contributions(checkpoint, explanation, chosen, against), say, theme)
    if view == PLANE:
        plane = query_key_plane(checkpoint, [encoding], layer or 0, head or 0)
        return query_key_scatter(plane, "side", say, theme)
    effects = order_effects(checkpoint, encoding)
    if view == ORDER_ATTENTION:
        return order_attention(effects, say, theme)
    if not effects.labels:
        raise Failure("lens.no_classifier", name=checkpoint.name)
    return order_probabilities(effects, tracked_class(effects.probabilities["original"][0]), say, theme)


def _lens(checkpoint: Checkpoint, explanation: Explanation, say: Translator, theme: Theme) -> go.Figure:
    """Logit lens: of a language model at the end of the text."""
    if explanation.kind != "causal":
        hues = checkpoint.task.colours
        return class_lines(class_lens(checkpoint, explanation.encoding), say, theme.with_colours(hues))
    start = max(0, len(explanation.encoding.ids) - POSITIONS)
    return token_cells(text_lens(checkpoint, explanation.encoding, start, POSITIONS), say, theme)


def measure(checkpoint: Checkpoint, frame: pd.DataFrame, data: str) -> Figures:
    """Measure a model on the rows of a frame."""
    settings, examples = checkpoint.settings, checkpoint.task.examples(frame, checkpoint.text_encoder)
    return metrics(checkpoint.logits(examples), examples.labels, settings.temperature, settings.threshold)


VERBS = {"predict": _predict, "explain": _explain, "figure": _figure, "whatif": what_if, "patch": patch}
