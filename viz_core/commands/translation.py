"""The command `translate`."""

from __future__ import annotations

import argparse
from functools import partial

import torch

from viz_core.analysis.translation.translating import Decoder, beam_decoder, hypothesis_text
from viz_core.analysis.translation.translating import translate as translate_sources
from viz_core.commands.output import load_checkpoint
from viz_core.language import Translator
from viz_core.models.decoding import greedy, sample
from viz_core.records import Failure


def translate(args: argparse.Namespace, say: Translator) -> dict:
    """translates a sentence: greedy, with --beam the likeliest sentence of several, with --temperature at random"""
    checkpoint = load_checkpoint(args.task, args.model, args.accept_large)
    if not checkpoint.translates:
        raise Failure("cli.does_not_translate", model=checkpoint.name)
    encoding = checkpoint.text_encoder.encode(args.text)
    try:
        (hypothesis,) = translate_sources(checkpoint.generator, [encoding.ids], _decoder(args))
    except ValueError as error:  # names the option and its value
        raise Failure("cli.bad_decoding", reason=str(error)) from error
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
