"""Owners are kept as a hash; those that earlier versions wrote in clear are still the same owners."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.owners import hashed_owner, is_same_owner, owner_hash
from viz_core.jobs.request import Request, read_request
from viz_core.records import Failure

COOKIE = "0123456789abcdef0123456789abcdef"


def test_a_cookie_in_clear_is_the_same_owner_as_its_hash():
    assert is_same_owner(COOKIE, owner_hash(COOKIE)) and is_same_owner(owner_hash(COOKIE), COOKIE)
    assert not is_same_owner(COOKIE[::-1], owner_hash(COOKIE))
    assert COOKIE not in owner_hash(COOKIE) and len(owner_hash(COOKIE)) == 64


@given(st.text(st.characters()))
def test_a_hash_is_no_identity(identity):
    """Whoever learns a hash from a folder is not its owner by presenting it."""
    hashed = owner_hash(identity)
    assert hashed_owner(hashed) == hashed and not is_same_owner(owner_hash(hashed), hashed)


def test_runs_of_an_owner_are_counted_whichever_version_queued_them(tmp_path, monkeypatch):
    monkeypatch.setattr("viz_core.jobs.runs.ensure_worker", lambda root: None)
    limits = Limits(most_queued_per_owner=1, least_free_bytes=0)
    old = runs.submit(Request("test", "old", ["-c", ""], owner=COOKIE), limits)
    try:
        runs.submit(Request("test", "new", ["-c", ""], owner=owner_hash(COOKIE)), limits)
    except Failure as failure:
        assert failure.message.key == "jobs.too_many"
    else:
        raise AssertionError("a second run is queued")
    runs.submit(Request("test", "other", ["-c", ""], owner=owner_hash(COOKIE[::-1])), limits)
    runs.stop(old.id)
    assert read_request(old.path).owner == COOKIE  # not rewritten without a need
    runs.resume(old.id, limits)
    assert read_request(old.path).owner == owner_hash(COOKIE)
