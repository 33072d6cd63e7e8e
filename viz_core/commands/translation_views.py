"""The commands `explain` and `figure` with a translation, decoded greedily, or with a reference, by teacher forcing."""

from __future__ import annotations

import argparse
from datetime import date

from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.analysis.selection import translation_map
from viz_core.analysis.translation.live import translate_text
from viz_core.analysis.value_norms import value_weighted_translation
from viz_core.checkpoints import Checkpoint
from viz_core.commands.inside_views import LENS, draw_translation_lens
from viz_core.commands.output import index_of, save_document, write_file
from viz_core.explorer.standalone import standalone_translation
from viz_core.language import Translator
from viz_core.records import OTHER_TRANSLATION, Failure, Translation
from viz_core.rendering.caption import add_caption, caption, name_head
from viz_core.rendering.export import save
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.small_multiples import head_grid
from viz_core.rendering.theme import theme
from viz_core.tables.downloads import translation_npz

EXPLORER = "explorer"  # a complete HTML document with every layer and head; the other views are figures
TRANSLATION_VIEWS = (EXPLORER, "heatmap", "heads", LENS)


def explain_translation(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    """The three attentions in an .npz file."""
    translation = translate_text(checkpoint, args.text, args.text_b or None)
    write_file(args.out, lambda path: path.write_bytes(translation_npz(translation)))
    shapes = {kind: list(weights.shape) for kind, weights in translation.attention.items()}
    return {**_result(translation, say), "attention": shapes, "out": args.out}


def draw_translation(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    """A view of one kind of attention; the explorer has all of them. Raises Failure for a view that there is not."""
    is_ours = checkpoint.task.name != OTHER_TRANSLATION
    views = [view for view in TRANSLATION_VIEWS if is_ours or view != LENS]
    if args.view not in views:
        raise Failure("cli.no_such_view", view=args.view, views=views)
    colours, translation = (
        theme("dark" if args.dark else "light"),
        translate_text(checkpoint, args.text, args.text_b or None),
    )
    result, is_weighted = _result(translation, say), args.measure == "norms"
    layers, heads = translation.attention[args.kind].shape[:2]
    layer, head = index_of("layer", args.layer, layers), index_of("head", args.head, heads)
    if args.view == EXPLORER:
        selection = {"kind": args.kind, "head": f"{args.layer or '*'}.{args.head or '*'}", "scale": args.scale}
        selection |= {"measure": "norms"} if is_weighted else {}
        statistics = {kind: translation_statistics(translation, kind) for kind in translation.attention}
        save_document(standalone_translation(translation, statistics, say, colours, selection), args.out)
    else:
        shown = value_weighted_translation(translation) if is_weighted else translation
        if args.view == LENS:
            view = draw_translation_lens(checkpoint, translation, say, colours)
        elif args.view == "heatmap":
            attention = translation_map(shown, args.kind, layer, head)
            view = attention_heatmap(attention, say, colours, args.scale)
        else:
            maps = [translation_map(shown, args.kind, layer, number) for number in range(heads)]
            titles = [say("pages.head_number", head=number + 1) for number in range(heads)]
            view = head_grid(maps, titles, say, colours, args.scale)
        drawn = "" if args.view == LENS else name_head(layer, None if args.view == "heads" else head)
        text = caption(translation, say, date.today().isoformat(), drawn, "" if args.view == LENS else args.scale)
        write_file(args.out, lambda path: save(add_caption(view, text, colours), path, colours))
    return {**result, "view": args.view, "kind": args.kind, "out": args.out}


def _result(translation: Translation, say: Translator) -> dict:
    return {
        "model": translation.model,
        "translation": translation.text,
        "complete": translation.complete,
        "notices": [say(notice) for notice in translation.notices],
    }
