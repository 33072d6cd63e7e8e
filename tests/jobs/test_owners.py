"""Owners are kept as a hash."""

from hypothesis import given
from hypothesis import strategies as st

from viz_core.jobs.request import owner_hash


@given(st.text(st.characters()))
def test_a_hash_is_no_identity(identity):
    """Whoever learns a hash from a folder is not its owner by presenting it."""
    hashed = owner_hash(identity)
    assert len(hashed) == 64 and owner_hash(hashed) != hashed
