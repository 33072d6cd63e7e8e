"""What a teacher can limit."""

from __future__ import annotations

import pytest

from tests.jobs.programs import failure_of, spoken
from viz_core.jobs.limits import Limits, limits, limits_from, refuse_full_disk, refuse_more


def test_limits_come_from_the_environment(monkeypatch):
    for name in ("VIZ_RUN_MINUTES", "VIZ_RUNS_PER_VISITOR", "VIZ_RUNS_FREE_MB"):
        monkeypatch.delenv(name, raising=False)
    assert limits() == Limits(60, 3, 500_000_000)
    monkeypatch.setenv("VIZ_RUN_MINUTES", "2.5")
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "1")
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "0")
    assert limits() == Limits(2.5, 1, 0)


@pytest.mark.parametrize(
    "variable, value",
    [
        ("VIZ_RUN_MINUTES", "0"),
        ("VIZ_RUN_MINUTES", "an hour"),
        ("VIZ_RUN_MINUTES", "inf"),
        ("VIZ_RUN_MINUTES", "nan"),
        ("VIZ_RUNS_PER_VISITOR", "0"),
        ("VIZ_RUNS_PER_VISITOR", "-1"),
        ("VIZ_RUNS_FREE_MB", "-5"),
    ],
)
def test_unusable_limit_is_named(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    said = spoken(failure_of(limits))
    assert variable in said and f"“{value}”" in said


def test_refusals_name_the_number_and_the_variable(tmp_path):
    refuse_more(2, Limits())
    refuse_full_disk(tmp_path, Limits(least_free_bytes=0))
    said = spoken(failure_of(lambda: refuse_more(3, Limits())))
    assert "3 runs waiting" in said and "VIZ_RUNS_PER_VISITOR" in said
    assert "1 run waiting" in spoken(failure_of(lambda: refuse_more(1, Limits(most_queued_per_owner=1))))
    said = spoken(failure_of(lambda: refuse_full_disk(tmp_path, Limits(least_free_bytes=10**18))))
    assert "1,000,000,000,000 MB must stay free" in said and "VIZ_RUNS_FREE_MB" in said


def test_limits_of_a_request_are_those_it_was_made_with():
    assert limits_from({"longest_minutes": 5, "stop_seconds": "soon"}) == Limits(longest_minutes=5)
    assert limits_from(None) == limits_from(3) == Limits()
