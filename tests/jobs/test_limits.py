"""What a teacher can limits."""

import pytest

from tests.jobs.programs import failure_of
from viz_core.jobs.limits import Limits, check_free_space, check_queue_limit, limits_from_json, read_limits


def test_limits_come_from_the_environment(monkeypatch):
    for name in ("VIZ_RUN_MINUTES", "VIZ_RUNS_PER_VISITOR", "VIZ_RUNS_FREE_MB"):
        monkeypatch.delenv(name, raising=False)
    assert read_limits() == Limits(60, 3, 500_000_000)
    monkeypatch.setenv("VIZ_RUN_MINUTES", "2.5")
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "1")
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "0")
    assert read_limits() == Limits(2.5, 1, 0)


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
    message = failure_of(read_limits)
    assert (message.values["variable"], message.values["value"]) == (variable, value)


def test_failures_name_the_number_and_the_variable(tmp_path):
    check_queue_limit(2, Limits())
    check_free_space(tmp_path, Limits(least_free_bytes=0))
    too_many = failure_of(lambda: check_queue_limit(3, Limits()))
    assert (too_many.values["count"], too_many.values["variable"]) == (3, "VIZ_RUNS_PER_VISITOR")
    assert failure_of(lambda: check_queue_limit(1, Limits(most_queued_per_owner=1))).values["count"] == 1
    no_room = failure_of(lambda: check_free_space(tmp_path, Limits(least_free_bytes=10**18)))
    assert (no_room.key, no_room.values["least"]) == ("jobs.no_room", 10**12)


def test_limits_of_a_request_default_where_unusable():
    assert limits_from_json({"longest_minutes": 5, "stop_seconds": "soon"}) == Limits(longest_minutes=5)
    assert limits_from_json(None) == limits_from_json(3) == Limits()
