"""How many tasks of one's own a person may have, how long they stay, and how large their tables may be."""

import pytest

from tests.tasks.own import add_task
from viz_core.records import Failure
from viz_core.tasks.own import limits


def test_a_person_may_have_so_many(monkeypatch):
    monkeypatch.setenv("VIZ_TASKS_PER_VISITOR", "2")
    add_task()
    limits.check_number("anna")
    add_task()
    limits.check_number("ben")
    with pytest.raises(Failure, match="own.too_many"):
        limits.check_number("anna")


@pytest.mark.parametrize(("days", "expected"), [("", 30 * 86_400 + 5.0), ("2", 2 * 86_400 + 5.0), ("0", None)])
def test_a_task_stays_so_long(monkeypatch, days, expected):
    monkeypatch.setenv("VIZ_TASK_DAYS", days)
    assert limits.expiry(5.0) == expected


def test_tables_are_smaller_where_the_server_says_so_and_never_larger(monkeypatch):
    assert (limits.most_megabytes(), limits.most_rows()) == (limits.MEGABYTES, limits.ROWS)
    monkeypatch.setenv("VIZ_TASK_MB", "5")
    monkeypatch.setenv("VIZ_TASK_ROWS", "999999")
    assert (limits.most_megabytes(), limits.most_rows()) == (5, limits.ROWS)


@pytest.mark.parametrize("value", ["many", "-1", "0.5", "１０", "1" * 9])
def test_an_unusable_setting_is_a_sentence(monkeypatch, value):
    monkeypatch.setenv("VIZ_TASK_ROWS", value)
    with pytest.raises(Failure, match="jobs.bad_limit"):
        limits.most_rows()
