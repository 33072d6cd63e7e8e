"""The explorer's JavaScript modules, tested in js/ by Node's own test runner, without a browser."""

import re

from tests.explorer.javascript import FOLDER, run_node


def test_the_modules_pass_their_tests():
    files = sorted(FOLDER.rglob("*.test.js"))
    assert files, f"no tests in {FOLDER}: without names of files Node would look for others"
    output = run_node("--test", "--test-isolation=none", "--test-reporter=spec", *files)
    counts = {name: int(count) for name, count in re.findall(r"^ℹ (\w+) (\d+)$", output, re.MULTILINE)}
    assert 0 < counts["tests"] == counts["pass"], output
