"""What is chosen: its short form in a link, how changes are drawn, and where weights come from."""

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.conftest import HOST
from viz_core.explorer.packing import pack_heads

pytestmark = pytest.mark.browser
INPUT = {"layers": 2, "heads": 4, "tokens": 15}
FRAMES = "const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"


def link(js, **changes):
    return js("return selection.toLink({ ...selection.FRESH, ...changes }, input)", changes=changes, input=INPUT)


def state(js, **asked):
    return js("return selection.fromLink(asked, input)", asked=asked, input=INPUT)


def test_a_link_counts_from_one(js):
    assert link(js, heads=[[1, 2]], query=0, key=14, views=["text", "heatmap"]) == {
        "head": "2.3",
        "query": "1",
        "key": "15",
        "unit": "token",
        "special": "shown",
        "block": "all",
        "scale": "sqrt",
        "direction": "from",
        "views": "23",
    }
    assert link(js)["query"] == "all" and link(js)["key"] == ""


@pytest.mark.parametrize(
    "heads, short",
    [
        ([[0, 0]], "1.1"),
        ([[0, 1], [1, 3]], "1.2 2.4"),
        ([[1, head] for head in range(4)], "2.*"),
        ([[0, 2], [1, 2]], "*.3"),
        ([[layer, head] for layer in range(2) for head in range(4)], "*.*"),
    ],
)
def test_heads_come_back_from_their_short_form(js, heads, short):
    assert link(js, heads=heads)["head"] == short
    assert state(js, head=short)["heads"] == heads


def test_whatever_a_link_can_hold_comes_back(js):
    wanted = {
        "heads": [[1, 3]],
        "query": 4,
        "key": 2,
        "unit": "word",
        "special": "renormalised",
        "block": "ba",
        "scale": "log",
        "direction": "to",
        "views": ["text", "distribution"],
    }
    assert state(js, **link(js, **wanted)) == wanted
    assert state(js, **link(js, query=None, key=None)).get("query", "all") is None


@pytest.mark.parametrize(
    "nonsense",
    [
        {"head": "3.1"},
        {"head": "0.0"},
        {"head": "1"},
        {"head": "<b>"},
        {"query": "16"},
        {"query": "0"},
        {"query": "-1"},
        {"query": "1e1"},
        {"key": "99"},
        {"unit": "letter"},
        {"special": ""},
        {"block": "cc"},
        {"scale": "constructor"},
        {"direction": "up"},
        {"views": "678"},
        {"views": ""},
        {"heads": "1.1"},
        {"__proto__": "1"},
    ],
)
def test_nonsense_in_a_link_is_passed_over(js, nonsense):
    assert state(js, **nonsense) == {}


def test_of_half_a_link_the_good_half_is_kept(js):
    assert state(js, head="9.9 2.1 1.1 2.1", query="3", scale="?") == {"heads": [[1, 0], [0, 0]], "query": 2}


def test_a_whole_layer_is_told_from_some_heads(js):
    whole = "return heads.map((chosen) => selection.wholeSet(chosen, input) ?? 'some')"
    layer = [[1, head] for head in range(4)]
    assert js(
        whole, input=INPUT, heads=[[[0, 3]], layer, [[0, 2], [1, 2]], layer[:3], [[0, 0], [1, 1]], layer[::-1]]
    ) == [[0, 3], [1, None], [None, 2], "some", "some", [1, None]]


def test_changes_are_drawn_once_a_frame_under_their_names(js):
    drawn = js(
        FRAMES
        + """const drawn = [], store_ = store.createStore({ a: 1, b: [1, 2], c: 0 }, (state, changed) => {
          drawn.push([state, [...changed].sort()]);
          if (changed.has("c")) store_.set({ a: 9 });
        });
        store_.set({ a: 2 });
        store_.set({ a: 3, b: [3] });
        const at_once = [store_.get().a, drawn.length];
        await frame();
        store_.set({ a: 3, b: [3] });
        await frame();
        const same = drawn.length;
        store_.touch("size");
        await frame();
        store_.set({ c: 1 });
        await frame();
        store_.set({ a: 0 });
        store_.close();
        await frame();
        return { drawn, at_once, same }"""
    )
    assert drawn["at_once"] == [3, 0], "the state is new at once, the picture in the next frame"
    assert drawn["same"] == 1, "the same values again draw nothing"
    assert [names for _, names in drawn["drawn"]] == [["a", "b"], ["size"], ["c"], ["a"]], (
        "and nothing after it is closed"
    )
    assert drawn["drawn"][-1][0] == {"a": 9, "b": [3], "c": 1}


@pytest.fixture
def server(js):
    """Heads of a review as the app would send them; the list of what was asked for."""
    given, asked = examples.review(), []

    def answer(route):
        asked.append(route.request.post_data_json)
        heads = [tuple(head) for head in asked[-1]["heads"]]
        if heads == [(0, 3)]:
            return route.fulfill(status=500)
        return route.fulfill(body=pack_heads(given, heads), content_type="application/octet-stream")

    js.page.route(f"{HOST}heads", answer)
    yield given, asked
    js.page.unroute(f"{HOST}heads")


FETCHING = """const sent = new Map([["0.0", new Uint16Array(225).fill(7)]]), calls = { arrived: 0, failed: 0 };
    const place = (layer, head) => `${layer}.${head}`;
    const held = matrices.createMatrices({ ...input, matrix: (...at) => sent.get(place(...at)) ?? null,
      has: (...at) => sent.has(place(...at)),
      request: { url: "/heads", body: { id: "x" } } }, () => calls.arrived++, () => calls.failed++);"""


def test_a_head_is_fetched_once_and_then_held(js, server):
    given, asked = server
    before, after, calls = js(
        FETCHING
        + """const before = held.weights([[1, 2]]);
        await Promise.all([held.want([[1, 2]]), held.want([[1, 2]])]);
        await held.want([[1, 2]]);
        await held.want([[0, 0]]);
        return [before, held.weights([[1, 2]]), calls]""",
        input=INPUT,
    )
    assert asked == [{"id": "x", "heads": [[1, 2]]}], "neither twice, nor the one that came along"
    assert before is None and calls == {"arrived": 2, "failed": 0}
    np.testing.assert_allclose(np.reshape(after, (15, 15)), given.attention[1, 2], atol=1.6e-5)


def test_the_mean_of_a_few_heads_is_made_of_each(js, server):
    given, asked = server
    mean, one = js(
        FETCHING
        + """await held.want([[1, 0], [1, 1], [1, 2]]);
        return [held.weights([[1, 0], [1, 1], [1, 2]]), held.weights([[1, 1]])]""",
        input=INPUT,
    )
    assert [body["heads"] for body in asked] == [[[1, 0]], [[1, 1]], [[1, 2]]]
    np.testing.assert_allclose(np.reshape(mean, (15, 15)), given.attention[1, :3].mean(0), atol=1.6e-5)
    np.testing.assert_allclose(np.reshape(one, (15, 15)), given.attention[1, 1], atol=1.6e-5)


def test_the_mean_of_many_heads_is_asked_for_as_such(js, server):
    given, asked = server
    every = [[layer, head] for layer in range(2) for head in range(4)] + [[0, 1]]
    mean = js(FETCHING + "await held.want(every); return held.weights(every)", input=INPUT, every=every)
    assert [body["heads"] for body in asked] == [every]
    np.testing.assert_allclose(
        np.reshape(mean, (15, 15)), given.attention[tuple(np.transpose(every))].mean(0), atol=1.6e-5
    )


def test_a_failure_is_told_and_can_be_tried_again(js, server):
    weights, calls = js(
        FETCHING
        + """await held.want([[0, 3]]);
        await held.want([[0, 3]]);
        return [held.weights([[0, 3]]), calls]""",
        input=INPUT,
    )
    assert weights is None and calls == {"arrived": 0, "failed": 2} and len(server[1]) == 2


def test_an_answer_of_the_wrong_length_is_a_failure(js, server):
    weights, calls = js(
        FETCHING + "await held.want([[1, 2]]); return [held.weights([[1, 2]]), calls]", input={**INPUT, "tokens": 14}
    )
    assert weights is None and calls["failed"] == 1


def test_the_heads_used_last_are_held_and_older_ones_dropped(js):
    """Of 1,408 tokens a head takes 4 MB, so that four of them are held."""
    held = js(
        FETCHING
        + """const real = globalThis.fetch;
        globalThis.fetch = async () => new Response(new ArrayBuffer(1408 * 1408 * 2));
        const heads = Array.from({ length: 5 }, (_, head) => [0, head + 1]);
        for (const head of heads.slice(0, 4)) await held.want([head]);
        held.weights([heads[0]]);
        await held.want([heads[4]]);
        globalThis.fetch = real;
        return heads.map((head) => held.weights([head]) !== null)""",
        input={**INPUT, "tokens": 1408},
    )
    assert held == [True, False, True, True, True]
