"""The command that continues a text."""

import argparse

from viz_core.analysis.decoding import Decoding
from viz_core.analysis.generation import continue_text
from viz_core.commands.output import load_checkpoint
from viz_core.language import Translator
from viz_core.records import Generation, Step


def generate(args: argparse.Namespace, say: Translator) -> dict:
    """Continues a text with a language model: greedy, with --temperature at random."""
    checkpoint = load_checkpoint(args.task, args.model, args.accept_large)
    method = "greedy" if args.temperature is None else "sample"
    decoding = Decoding(method, args.temperature or 1.0, args.seed, top_k=args.top_k, top_p=args.top_p)
    *_, generation = continue_text(checkpoint, args.text, decoding, args.tokens)
    return {
        "model": checkpoint.name,
        "text": args.text,
        "written": generation.written,
        "tokens": [_token(step) for step in generation.steps[generation.given :]],
        "perplexity": generation.perplexity,
        "complete": generation.complete,
        "notices": [say(notice) for notice in (*generation.explanation.notices, *generation.notices)],
    }
