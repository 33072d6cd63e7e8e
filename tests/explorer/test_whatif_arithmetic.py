"""What-if's arithmetic in the browser: editing rows, undo history, requests, numbers."""

import pytest

pytestmark = pytest.mark.browser

FREE = [True, True, False, True]


@pytest.mark.parametrize(
    ("row", "key", "weight", "expected"),
    [
        ([0.5, 0.3, 0, 0.2], 0, 0.75, [0.75, 0.15, 0, 0.1]),
        ([0.5, 0.3, 0, 0.2], 1, 0, [0.5 / 0.7, 0, 0, 0.2 / 0.7]),
        ([0.5, 0.3, 0, 0.2], 0, 1.7, [1, 0, 0, 0]),
        ([0.5, 0.3, 0, 0.2], 0, -1, [0, 0.6, 0, 0.4]),
        ([1, 0, 0, 0], 0, 0.4, [0.4, 0.3, 0, 0.3]),
        ([0, 0, 0, 1], 0, 0.5, [0.5, 0, 0, 0.5]),
    ],
)
def test_setting_a_weight_rescales_the_others(js, row, key, weight, expected):
    result = js("return whatif_weights.setWeight(row, key, weight, free)", row=row, key=key, weight=weight, free=FREE)
    assert result == pytest.approx(expected)


def test_the_only_key_gets_all_the_weight(js):
    assert js("return whatif_weights.setWeight([1, 0], 0, 0.2, [true, false])") == [1, 0]


@pytest.mark.parametrize(
    ("row", "expected"), [([0.4, 0.1, 0.5, 0], [0.8, 0.2, 0, 0]), ([0, 0, 1, 0], [1 / 3, 1 / 3, 0, 1 / 3])]
)
def test_a_row_without_blocked_keys_is_renormalised(js, row, expected):
    assert js("return whatif_weights.renormalise(row, free)", row=row, free=FREE) == pytest.approx(expected)


def test_the_strongest_keys_come_first(js):
    assert js("return order.byWeight([0.1, 0.3, 0.1, 0.5], [0, 1, 2, 3])") == [3, 1, 0, 2]


def test_undo_and_redo_treat_a_gesture_as_one_step(js):
    assert js("""
        const changes = whatif_changes.createHistory("a"), states = [];
        changes.record("b"); changes.record("c", "drag"); changes.record("d", "drag"); changes.record("e", "keys");
        states.push(changes.undo(), changes.undo(), changes.redo(), changes.redo(), changes.redo(), changes.undo());
        changes.record("f", "keys");
        states.push(changes.canRedo(), changes.undo(), changes.undo(), changes.undo(), changes.undo());
        states.push(changes.canUndo());
        return states;""") == ["d", "b", "d", "e", "e", "d", False, "d", "b", "a", "a", False]


def test_states_cycle_and_a_request_lists_the_changes(js):
    result = js("""
        const { NOTHING, cycleHead, cycleToken, toggleLayer, withRow, toRequest, isChanged } = whatif_changes;
        let changes = toggleLayer(NOTHING, 1, 2);
        changes = cycleHead(cycleHead(changes, 1, 0), 0, 1);
        changes = cycleToken(cycleToken(cycleToken(changes, 3, false), 3, false), 0, true);
        changes = withRow(changes, "0.1.12", [1 / 3, 2 / 3]);
        const back = withRow(cycleToken(NOTHING, 0, true), "0.0.0", null);
        return [toRequest(changes), ...[changes, back, cycleToken(back, 0, true), NOTHING].map(isChanged)];""")
    assert result == [
        {
            "masked": [[1, 1], [0, 1]],
            "uniform": [[1, 0]],
            "removed": [],
            "deleted": [],
            "unknown": [3],
            "blocked": [0],
            "rows": [[0, 1, 12, [0.333333, 0.666667]]],  # 21845 and 43690 of 65535
        },
        True,
        True,
        False,
        False,
    ]


def test_changes_are_read_from_the_fields_of_a_request(js):
    result = js("""
        const { NOTHING, fromRequest, toRequest } = whatif_changes;
        const heads = { "1.1": "masked", "0.1": "uniform" }, rows = { "0.1.12": [0.5, 0.25, 0.25] };
        const all = [
          { heads, tokens: { 3: "unknown", 0: "blocked", 2: "removed" }, rows, deletes: false },
          { heads: {}, tokens: { 2: "removed" }, rows: {}, deletes: true }, NOTHING,
        ];
        return [all, all.map((changes) => fromRequest(toRequest(changes))), fromRequest({})];""")
    for sent, read in zip(*result[:2], strict=True):
        sent_row, row = (changes["rows"].pop("0.1.12", []) for changes in (sent, read))
        assert sent == read and row == pytest.approx(sent_row, abs=1e-5)
    assert result[2] == result[0][2]


@pytest.mark.parametrize("row", [[1 / 3] * 3, [0.2, 0, 0.8], [1 / 512] * 512, [0, 1], [1e-7, 1 - 1e-7]])
def test_weights_in_a_request_are_multiples_that_sum_to_1_and_stay_the_same(js, row):
    once, twice = js(
        """const { NOTHING, toRequest } = whatif_changes;
        const sent = (row) => toRequest({ ...NOTHING, rows: { "0.0.0": row } }).rows[0][3];
        return [sent(row), sent(sent(row))];""",
        row=row,
    )
    levels = [round(weight * 65535) for weight in once]
    assert once == twice == pytest.approx([level / 65535 for level in levels], abs=1e-6) and sum(levels) == 65535


def test_removed_tokens_are_deleted_if_the_option_is_on(js):
    result = js("""
        const { NOTHING, cycleToken, toggleDeletion, toRequest, isChanged, hasRemoved } = whatif_changes;
        const removed = cycleToken(NOTHING, 3, false), deleted = toggleDeletion(removed);
        const blocked = cycleToken(cycleToken(deleted, 3, false), 3, false), none = cycleToken(blocked, 3, false);
        const requests = [removed, deleted, toggleDeletion(deleted), blocked].map(toRequest);
        return [requests.map((request) => [request.removed, request.deleted]),
          [removed, deleted, blocked, none].map(hasRemoved),
          [none, toggleDeletion(none)].map(isChanged)];""")
    assert result == [[[[3], []], [[], [3]], [[3], []], [[], []]], [True, True, False, False], [True, False]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.5, "50.0%"),
        (0.99949, "99.9%"),
        (0.9996, ">99.9%"),
        (1, "100.0%"),
        (0.0004, "<0.1%"),
        (0, "0.0%"),
        (0.0005, "0.1%"),
    ],
)
def test_percent_as_on_the_page(js, value, expected):
    from viz_core.rendering.probabilities import percent

    assert js("return numbers.percent(value)", value=value) == expected
    if value != 0.0005:  # a tie, which Python and JavaScript round differently
        assert percent(value) == expected


@pytest.mark.parametrize(("value", "expected"), [(-0.331, "−33.1"), (0.02, "+2.0"), (0, "±0.0"), (-0.0001, "±0.0")])
def test_points_have_their_sign(js, value, expected):
    assert js("return whatif_numbers.points(value)", value=value) == expected


@pytest.mark.parametrize(
    ("value", "change", "short"), [(-0.1, "−0.100", "−.10"), (0.0004, "±0.000", "0"), (-1.25, "−1.250", "−1.25")]
)
def test_similarities_have_no_percent(js, value, change, short):
    script = "return [whatif_numbers.signedDecimals(value), whatif_numbers.shortDecimals(value)]"
    assert js(script, value=value) == [change, short]
