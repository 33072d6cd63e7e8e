"""Commands on a translation model: it decodes or, with a reference, reads by teacher forcing."""

import argparse
from functools import partial

import pandas as pd
import torch

from viz_core.analysis.heads.statistics import translation_statistics
from viz_core.analysis.inside.logit_lens import token_lens
from viz_core.analysis.selection import translation_map
from viz_core.analysis.translation.live import translate_text
from viz_core.analysis.translation.translating import Decoder, beam_decoder, hypothesis_text, measure_translations
from viz_core.analysis.translation.translating import translate as translate_sources
from viz_core.analysis.value_norms import value_weighted_translation
from viz_core.checkpoints import Checkpoint
from viz_core.commands.drawing import EXPLORER, LENS, MAPS, check_view, draw
from viz_core.commands.output import write_file
from viz_core.commands.patching import patch
from viz_core.explorer.standalone import standalone_translation
from viz_core.language import Translator
from viz_core.models.decoding import greedy, sample
from viz_core.records import OTHER_TRANSLATION, Translation, TranslationFigures, failing
from viz_core.rendering.logit_lens import token_cells
from viz_core.tables.downloads import translation_npz

VIEWS = (EXPLORER, *MAPS, LENS)


def _translate(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    encoding = checkpoint.text_encoder.encode(args.text)
    with failing(ValueError, "cli.bad_decoding"):  # it names the option and its value
        (hypothesis,) = translate_sources(checkpoint.generator, [encoding.ids], _decoder(args))
    return {
        "model": checkpoint.name,
        "translation": hypothesis_text(checkpoint.text_encoder, hypothesis),
        "tokens": [checkpoint.text_encoder.token(token) for token in hypothesis.tokens],
        "log_probability": hypothesis.log_probability,
        "complete": hypothesis.complete,
        "notices": [say(notice) for notice in encoding.notices],
    }


def _decoder(args: argparse.Namespace) -> Decoder:
    if args.beam is not None:
        return beam_decoder(args.beam)
    if args.temperature is not None:
        generator = torch.Generator().manual_seed(args.seed)
        return partial(sample, temperature=args.temperature, generator=generator)
    return greedy


def _explain(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    """Write the three attentions into an .npz file."""
    translation = translate_text(checkpoint, args.text, args.text_b or None)
    write_file(args.out, lambda path: path.write_bytes(translation_npz(translation)))
    shapes = {kind: list(weights.shape) for kind, weights in translation.attention.items()}
    return {**_result(translation, say), "attention": shapes, "out": args.out}


def _figure(checkpoint: Checkpoint, args: argparse.Namespace, say: Translator) -> dict:
    """Draw a view of one kind of attention; the explorer has all of them.

    Raises:
        Failure: For an unknown view.
    """
    is_ours = checkpoint.task.name != OTHER_TRANSLATION
    check_view(args.view, tuple(view for view in VIEWS if is_ours or view != LENS))
    translation = translate_text(checkpoint, args.text, args.text_b or None)
    shown = value_weighted_translation(translation) if args.measure == "norms" else translation
    draw(
        args,
        say,
        shown,
        translation.attention[args.kind].shape[:2],
        partial(translation_map, shown, args.kind),
        lambda layer, head, colours: token_cells(token_lens(checkpoint, translation), say, colours),
        lambda colours, selection: standalone_translation(
            translation,
            {kind: translation_statistics(translation, kind) for kind in translation.attention},
            say,
            colours,
            {"kind": args.kind, **selection},
        ),
    )
    return {**_result(translation, say), "view": args.view, "kind": args.kind, "out": args.out}


def _result(translation: Translation, say: Translator) -> dict:
    return {
        "model": translation.model,
        "translation": translation.text,
        "complete": translation.complete,
        "notices": [say(notice) for notice in translation.notices],
    }


def measure(checkpoint: Checkpoint, frame: pd.DataFrame, data: str) -> TranslationFigures:
    """Measure a model on the rows of a frame."""
    train = checkpoint.task.read("train", data)
    return measure_translations(checkpoint.generator, checkpoint.text_encoder, frame, train)


VERBS = {"translate": _translate, "explain": _explain, "figure": _figure, "patch": patch}
