"""Tries out the `tokenizer.json` on standard input, in a process of its own (tokenizer_file.py).

Exits with 0 if the tokenizer can be read and reads texts; otherwise its last line of output says
why not. Its end harms no other process.
"""

import contextlib
import os
import sys

SECONDS, MEMORY = 10, 2 * 2**30  # seconds of processor time; bytes
LENGTH = 20_000  # characters: no longer text enters (length.py)
# What repeats is slow for whatever tries every way to divide it.
TEXTS = tuple(
    ("a" + part * LENGTH)[:LENGTH] for part in ("a", "A", "a1 ", "花", " ", "  \n", "'’.,-_<>[]", "é🙂\u00ad\u0301")
)


def limit_process() -> None:
    """Limit processor time and memory of this process, where the system can.

    The parent process also limits its time.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    """Try out the tokenizer on standard input; returns the exit code."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    limit_process()
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(sys.stdin.buffer.read().decode("utf-8"))
        tokenizer.no_padding()
        for text in TEXTS:
            tokenizer.encode(text)
            tokenizer.encode(text[:200], text[:200])
    except BaseException as error:  # the library's panics are not Exceptions
        print(str(error).splitlines()[0] if str(error) else type(error).__name__)
        sys.exit(1)


if __name__ == "__main__":
    main()
