// The state as the reference sees it: the same settings, with tokens and heads translated in both directions, so that
// the same views draw the reference, and a pointer in one side marks the same token in the other.

/**
 * A store for the views of the reference. current(): `{ units, referenceUnits, aligned, heads, isBeside }`, where
 * `heads` are those of the reference. Side by side, tokens that only the reference has can be selected in it alone.
 */
export function createMirror(store, current) {
  let own = { query: null, key: null, hover: null };
  const ownOf = (side) => (current().isBeside ? own[side] : null);
  const toReference = (token, side) => {
    const { units, referenceUnits, aligned } = current();
    if (token === null) return ownOf(side);
    const unit = aligned.referenceOf[units.of[token]];
    return unit < 0 ? null : referenceUnits.first[unit];
  };
  const toCurrent = (token) => {
    const { units, referenceUnits, aligned } = current();
    const unit = token === null ? -1 : aligned.currentOf[referenceUnits.of[token]];
    return unit < 0 ? null : units.first[unit];
  };

  function get() {
    const state = store.get(), { heads, aligned } = current();
    const hover = state.hover && { query: aligned.referenceOf[state.hover.query],
      key: aligned.referenceOf[state.hover.key] };
    return { ...state, heads, range: null, query: toReference(state.query, "query"),
      key: toReference(state.key, "key"), hover: hover && hover.query >= 0 && hover.key >= 0 ? hover : ownOf("hover") };
  }

  function set({ heads, range, hover, ...patch }) {
    const { aligned } = current(), changes = { ...patch };
    for (const side of ["query", "key"]) if (side in patch) {
      changes[side] = toCurrent(patch[side]);
      own = { ...own, [side]: changes[side] === null ? patch[side] : null };
    }
    if (hover !== undefined) {
      const [query, key] = hover ? [aligned.currentOf[hover.query], aligned.currentOf[hover.key]] : [-1, -1];
      changes.hover = query >= 0 && key >= 0 ? { query, key } : null;
      own = { ...own, hover: changes.hover ? null : hover };
    }
    if (heads) changes.referenceHeads = heads;
    store.set(changes);
    store.touch();
  }

  return { get, set, touch: store.touch };
}
