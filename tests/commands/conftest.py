"""The command line, called within the process of the test."""

from __future__ import annotations

import json
import re
import sys

import pytest

from viz_core import __main__


@pytest.fixture
def call(monkeypatch, capsys):
    """Runs a command line; gives its exit code and what it wrote to stdout and to stderr."""

    def call(*arguments: str, lang: str = "en") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["python -m viz_core", *map(str, arguments), "--lang", lang])
        capsys.readouterr()
        code = __main__.main()
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def answer(call):
    """What a command prints with `--json`: exactly one line, one document, which means the same without `--json`."""

    def answer(*arguments: str):
        code, out, _ = call(*arguments, "--json")
        assert code == 0
        assert out.endswith("\n") and out.count("\n") == 1
        return json.loads(out, parse_constant=pytest.fail)  # NaN is no JSON

    return answer


@pytest.fixture
def sentences(call):
    """The sentences, in English and Chinese, with which a command fails: exit code 1 and nothing on stdout."""

    def sentences(*arguments: str) -> tuple[str, str]:
        said = []
        for lang in ("en", "zh"):
            code, out, error = call(*arguments, lang=lang)
            assert (code, out) == (1, "")
            assert error.count("\n") == 1 and "Traceback" not in error
            said.append(error.strip())
            code, out, error = call(*arguments, "--json", lang=lang)
            assert (code, out, json.loads(error)) == (1, "", {"error": said[-1]})
        assert said[0] != said[1] and re.search("[\u4e00-\u9fff]", said[1])
        return said[0], said[1]

    return sentences
