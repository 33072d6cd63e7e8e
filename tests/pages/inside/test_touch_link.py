"""The changes to a head in the link."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.inside.touch_link import from_link, to_link
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.records import Failure

TOKENS = st.integers(0, 511)
NUMBERS = st.integers(-999_000_000, 999_000_000).map(lambda millionths: millionths / 1e6)
CHANGES = st.builds(
    HeadChanges,
    st.booleans(),
    st.dictionaries(st.tuples(TOKENS, TOKENS), NUMBERS, max_size=3),
    NUMBERS.map(abs),
    st.frozensets(TOKENS, max_size=3),
    st.booleans(),
    NUMBERS,
    st.booleans(),
).filter(bool)


def test_a_link_by_hand():
    link = "unscaled temperature:0.5 values:-2 masked:4 score:3.5:1.25"
    changes = HeadChanges(True, {(2, 4): 1.25}, 0.5, frozenset([3]), False, -2.0)
    assert from_link(link) == changes and to_link(changes) == link
    assert to_link(HeadChanges()) == "" and from_link("") == HeadChanges()


@settings(max_examples=25)
@given(CHANGES)
def test_what_is_written_is_read(changes):
    assert from_link(to_link(changes)) == changes


@pytest.mark.parametrize("part", ["scaled", "temperature:", "temperature:1e9", "masked:0", "score:1:2", "score:1.1:x"])
def test_what_a_link_does_not_mean_is_refused(part):
    with pytest.raises(Failure) as failure:
        from_link(f"unscaled {part}")
    assert failure.value.message.values["value"] == part
