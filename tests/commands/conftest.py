"""The command line, run within the test process."""

import json
import re
import sys

import pytest

from tests.commands.trainings import end_processes
from viz_core import __main__
from viz_core.language import Translator
from viz_core.records import message_from_json


@pytest.fixture
def call(monkeypatch, capsys):
    """Runs a command; returns its exit code and what it wrote to stdout and stderr."""

    def call(*arguments: str, lang: str = "en") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["python -m viz_core", *map(str, arguments), "--lang", lang])
        capsys.readouterr()
        code = __main__.main()
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def json_output(call):
    """Runs a command with `--json`; returns the value that it prints, which must be a single line of valid JSON."""

    def json_output(*arguments: str):
        code, out, _ = call(*arguments, "--json")
        assert code == 0
        assert out.endswith("\n") and out.count("\n") == 1
        return json.loads(out, parse_constant=pytest.fail)  # NaN is not JSON

    return json_output


@pytest.fixture
def error_sentences(call):
    """Runs a command that fails, with exit code 1 and empty stdout; returns its English and its Chinese sentence."""

    def error_sentences(*arguments: str) -> tuple[str, str]:
        messages = []
        for lang in ("en", "zh"):
            code, out, error = call(*arguments, lang=lang)
            assert (code, out) == (1, "")
            assert error.count("\n") == 1 and "Traceback" not in error
            messages.append(error.strip())
            code, out, error = call(*arguments, "--json", lang=lang)
            parts = json.loads(error)
            message = message_from_json(parts.pop("message"))
            assert (code, out, parts) == (1, "", {"error": messages[-1]})
            assert Translator(lang)(message) == messages[-1]
        assert messages[0] != messages[1] and re.search("[\u4e00-\u9fff]", messages[1])
        return messages[0], messages[1]

    return error_sentences


@pytest.fixture
def runs_dir(tmp_path, monkeypatch):
    """The runs folder of a test; none of its processes outlives the test."""
    folder = tmp_path / "runs"  # set by the fixture `own_folders`
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    yield folder
    end_processes(folder)
