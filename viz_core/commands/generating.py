"""The command that continues a text."""

import argparse

from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import chat_text, continue_text
from viz_core.commands.output import load_checkpoint
from viz_core.language import Translator
from viz_core.records import Generation, Step


def generate(args: argparse.Namespace, say: Translator) -> dict:
    """Continues a text with a language model: greedy, with --temperature at random."""
    checkpoint = load_checkpoint(args.task, args.model, args.accept_large)
    text, notices = chat_text(checkpoint, args.text, args.system) if args.chat else (args.text, ())
    events = continue_text(checkpoint, text, _decoding(args), args.tokens)
    generation = next(event for event in events if isinstance(event, Generation))
    return {
        "model": checkpoint.name,
        "text": text,
        "written": generation.written,
        "tokens": [_token(step) for step in generation.steps[generation.given :] if step],
        "perplexity": generation.perplexity,
        "complete": generation.complete,
        "notices": [say(notice) for notice in (*notices, *generation.explanation.notices, *generation.notices)],
    }


def _decoding(args: argparse.Namespace) -> Decoding:
    if args.temperature is None:
        return Decoding()
    return Decoding("sample", args.temperature, args.seed, top_k=args.top_k, top_p=args.top_p)


def _token(step: Step) -> dict:
    return {
        "token": step.output.token,
        "probability": step.output.probability,
        "rank": step.rank,
        "candidates": {candidate.token: candidate.probability for candidate in step.candidates},
    }
