"""Attention Microscope on the command line: `python -m viz_core COMMAND`."""

import argparse
import json
import os
import sys
import tomllib
from io import TextIOWrapper
from pathlib import Path
from pprint import pformat


def main() -> int:
    """Run the command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a pipe on Windows cannot encode most Chinese, nor emoji
    try:
        from viz_core.commands.parser import build_parser
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == __package__:
            raise
        print(_missing_package(package), file=sys.stderr)
        return 1
    return _run(build_parser().parse_args())


def _missing_package(package: str) -> str:
    """The sentence of `doctor` for a missing package.

    It is read without any package, because the translator needs some.
    """
    language = "zh" if os.environ.get("LANG", "").startswith("zh") else "en"
    text = (Path(__file__).parent / "locale" / language / "doctor.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["package_missing"].format(package=package)


def _run(args: argparse.Namespace) -> int:
    from viz_core.commands.output import Report
    from viz_core.jobs.files import to_plain
    from viz_core.language import Translator
    from viz_core.records import Failure

    say = Translator(args.lang)
    try:
        result = args.run(args, say)
    except Failure as failure:
        sentence = say(failure.message)
        error = json.dumps({"error": sentence, "message": to_plain(failure.message)}) if args.json else sentence
        print(error, file=sys.stderr)
        return 1
    if isinstance(result, Report):
        print(json.dumps(result.entries) if args.json else result.text)
        return int(result.failed)
    # For people: as many ids and tokens per line as fit.
    print(json.dumps(result) if args.json else pformat(result, width=120, compact=True, sort_dicts=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
