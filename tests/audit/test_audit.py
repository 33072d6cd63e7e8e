"""Reading the report of pip-audit."""

import json

import pytest

from tests.audit.__main__ import vulnerabilities

CLEAN = {"name": "numpy", "version": "2.4.6", "vulns": []}
OLD = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1", "2.0"]}]}
UNKNOWN = {"name": "ours", "skip_reason": "not found on PyPI"}


@pytest.mark.parametrize(
    ("packages", "lines"),
    [
        ([CLEAN, UNKNOWN], []),
        ([CLEAN, OLD], ["old 1.0: PYSEC-1, mended in 1.1, 2.0"]),
        ([UNKNOWN, UNKNOWN], None),  # a mirror that knows no vulnerabilities
    ],
)
def test_vulnerabilities_are_listed_unless_nothing_could_be_compared(packages, lines):
    assert vulnerabilities(json.dumps({"dependencies": packages})) == lines


def test_without_a_network_there_is_no_report():
    assert vulnerabilities("") is None
