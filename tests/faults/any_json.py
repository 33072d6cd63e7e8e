"""Any JSON, and any JSON in place of a part of another."""

from hypothesis import strategies as st

_NUMBERS = st.one_of(st.integers(), st.floats(), st.sampled_from([10**400, -(10**18), 2**31, 1e308, -1, 0, 0.5]))
_LEAVES = st.one_of(st.none(), st.booleans(), _NUMBERS, st.text(max_size=8), st.just({"key": "no.such", "values": {}}))
_NAMES = st.text(max_size=8)
ANY = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3), max_leaves=6
)


@st.composite
def changes_of(draw, value: object) -> object:
    """The value with any JSON in one place of it, at any depth."""
    if not isinstance(value, dict) or not value or draw(st.integers(0, 3)) == 0:
        return draw(ANY)
    name = draw(st.sampled_from(sorted(value)))
    return {**value, name: draw(changes_of(value[name]))}
