"""The command `figure` for all kinds of models: a view with its caption, or the whole explorer."""

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path

import plotly.graph_objects as go

from viz_core.commands.output import index_of, write_file
from viz_core.language import Translator
from viz_core.records import AttentionMap, Explanation, Failure, Translation
from viz_core.rendering.caption import add_caption, caption, name_head
from viz_core.rendering.export import save
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.theme import Theme, theme

EXPLORER = "explorer"  # a complete HTML document with every layer and head; the other views are figures
MAPS = ("heatmap", "heads")  # views of attention weights, in a colour scale
LENS, CONTRIBUTIONS = "lens", "contributions"
PLANE, ORDER, ORDER_ATTENTION = "plane", "order", "order_attention"
WITHOUT_ATTENTION = ("probabilities", "tokens")  # views that need no attention
# Their captions name no layer and no head.
_WITHOUT_HEAD = (LENS, CONTRIBUTIONS, ORDER, ORDER_ATTENTION, *WITHOUT_ATTENTION)


def check_view(view: str, views: tuple[str, ...]) -> None:
    """Check that a model has a view.

    Raises:
        Failure: If it does not.
    """
    if view not in views:
        raise Failure("cli.no_such_view", view=view, views=views)


def draw(
    args: argparse.Namespace,
    say: Translator,
    read: Explanation | Translation,
    layers_and_heads: tuple[int, ...],
    attention: Callable[[int | None, int | None], AttentionMap],
    other_view: Callable[[int | None, int | None, Theme], go.Figure | str],
    document: Callable[[Theme, dict], str],
) -> None:
    """Write the view that the flags name.

    Args:
        args: The flags.
        say: The translator.
        read: The analysed input with the measure that is drawn, for the caption.
        layers_and_heads: Number of layers, then of heads.
        attention: A layer and a head, from 0, or None for their mean -> the attention.
        other_view: Draws a view that is not one of MAPS.
        document: Builds the explorer, from what is selected in it.

    Raises:
        Failure: If the view cannot be drawn or the file not be written.
    """
    layers, heads = layers_and_heads
    layer, head = index_of("layer", args.layer, layers), index_of("head", args.head, heads)
    colours = theme("dark" if args.dark else "light")
    if args.view == EXPLORER:
        selection = {"head": f"{args.layer or '*'}.{args.head or '*'}", "scale": args.scale, "limit": args.limit}
        selection |= {"measure": "norms"} if args.measure == "norms" else {}
        save_document(document(colours, selection), args.out)
        return
    if args.view == "heatmap":
        view = attention_heatmap(attention(layer, head), say, colours, args.scale, args.limit)
    elif args.view == "heads":
        titles = [say("pages.head_number", head=number + 1) for number in range(heads)]
        view = head_grid(
            [attention(layer, number) for number in range(heads)], titles, say, colours, args.scale, args.limit
        )
    else:
        view = other_view(layer, head, colours)
    if args.view == PLANE:
        layer, head = layer or 0, head or 0
    shown = "" if args.view in _WITHOUT_HEAD else name_head(layer, None if args.view == "heads" else head)
    text = caption(read, say, date.today().isoformat(), shown, args.scale if args.view in MAPS else "")
    write_file(args.out, lambda path: save(add_caption(view, text, colours), path, colours))


def save_document(document: str, file: str) -> None:
    """Write an HTML document.

    Raises:
        Failure: If the name of the file does not say that it is one.
    """
    suffix = Path(file).suffix.lower()
    if suffix != ".html":
        raise Failure("rendering.unknown_format", suffix=suffix, formats=(".html",))
    write_file(file, lambda path: path.write_text(document, encoding="utf-8"))
