"""The state: its form in a link, how changes are drawn, and how weights are fetched."""

import numpy as np
import pytest

from pages.shared.selection import ORDERS
from tests.explorer import examples
from tests.explorer.locations import HOST
from viz_core.explorer.packed_weights import pack_heads

pytestmark = pytest.mark.browser
INPUT = {"layers": 2, "heads": 4, "tokens": 15}
FRAMES = "const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"


def link(js, **changes):
    return js("return selection.toLink({ ...selection.DEFAULTS, ...changes }, input)", changes=changes, input=INPUT)


def state(js, **fields):
    return js("return selection.fromLink(fields, input)", fields=fields, input=INPUT)


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
def test_heads_are_restored_from_a_link(js, heads, short):
    assert link(js, heads=heads)["head"] == short
    assert state(js, head=short)["heads"] == heads


def test_every_field_is_restored_from_a_link(js):
    state_ = {
        "heads": [[1, 3]],
        "query": 4,
        "key": 2,
        "unit": "word",
        "special": "renormalised",
        "block": "ba",
        "scale": "log",
        "direction": "to",
        "views": ["text", "distribution"],
        "order": "entropy",
    }
    assert state(js, **link(js, **state_)) == state_
    assert state(js, **link(js, query=None, key=None)).get("query", "all") is None


def test_the_orders_are_those_that_the_page_knows(js):
    assert js("return selection.CHOICES.order") == ["position", *ORDERS]


@pytest.mark.parametrize(
    "texts, heads, expected",
    [
        (
            ["a good ", "film"],
            None,
            {"ref_model": "small", "ref_head": "", "ref_a": "a good film", "ref_b": "", "ref_mode": ""},
        ),
        (["a"], [[1, 2]], {"ref_model": "small", "ref_head": "2.3", "ref_a": "a", "ref_b": "", "ref_mode": ""}),
        (["word "] * 401, None, {}),
    ],
)
def test_a_short_reference_is_part_of_the_link(js, texts, heads, expected):
    reference = {"model": "small", "texts": [[[text, at] for at, text in enumerate(texts)]], **INPUT}
    full = link(js, reference=reference, referenceHeads=heads)
    assert {name: value for name, value in full.items() if name.startswith("ref_")} == expected


@pytest.mark.parametrize(
    "fields",
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
def test_invalid_fields_of_a_link_are_ignored(js, fields):
    assert state(js, **fields) == {}


def test_valid_parts_of_a_link_are_used(js):
    assert state(js, head="9.9 2.1 1.1 2.1", query="3", scale="?") == {"heads": [[1, 0], [0, 0]], "query": 2}


def test_complete_sets_of_heads_are_recognised(js):
    whole = "return heads.map((set) => selection.wholeSet(set, input) ?? 'some')"
    layer = [[1, head] for head in range(4)]
    assert js(
        whole, input=INPUT, heads=[[[0, 3]], layer, [[0, 2], [1, 2]], layer[:3], [[0, 0], [1, 1]], layer[::-1]]
    ) == [[0, 3], [1, None], [None, 2], "some", "some", [1, None]]


def test_changes_are_drawn_once_per_frame(js):
    result = js(
        FRAMES
        + """const draws = [], store_ = store.createStore({ a: 1, b: [1, 2], c: 0 }, (state) => {
          draws.push(state);
          if (state.c) store_.set({ a: 9 });
        });
        store_.set({ a: 2 });
        store_.set({ a: 3, b: [3] });
        const at_once = [store_.get().a, draws.length];
        await frame();
        store_.set({ a: 3, b: [3] });
        await frame();
        const same = draws.length;
        store_.touch();
        await frame();
        store_.set({ c: 1 });
        await frame();
        await frame();
        store_.set({ a: 0 });
        store_.close();
        await frame();
        return { draws, at_once, same }"""
    )
    assert result["at_once"] == [3, 0], "the state changes immediately, the drawing in the next frame"
    assert result["same"] == 1, "equal values are not drawn again"
    assert [(state["a"], state["b"], state["c"]) for state in result["draws"]] == [
        (3, [3], 0),
        (3, [3], 0),
        (3, [3], 1),
        (9, [3], 1),
    ], "nothing is drawn after closing"


def test_what_was_computed_is_kept_until_an_argument_differs(js):
    result = js(
        """const runs = [], array = Float32Array.of(1), add = remember.remember((...values) => runs.push(values));
        add([1, { a: 2 }], array); add([1, { a: 2 }], array);
        add([1, { a: 3 }], array); add([1, { a: 3 }], array.slice());
        const asked = [], ask = remember.remember((value) => asked.push(value), { a: 1 });
        ask({ a: 1 }); ask({ a: 2 }); ask({ a: 1 });
        return { runs: runs.map(([value]) => value), asked }"""
    )
    # Arrays and plain objects are compared by their content, everything else by being the same.
    assert result["runs"] == [[1, {"a": 2}], [1, {"a": 3}], [1, {"a": 3}]]
    assert result["asked"] == [{"a": 2}, {"a": 1}], "known arguments count as those of a last run"


@pytest.fixture
def server(js):
    """Serves heads of a review as the app does; yields the explanation and the list of requests."""
    explanation, requests = examples.review(), []

    def respond(route):
        requests.append(route.request.post_data_json)
        heads = [tuple(head) for head in requests[-1]["heads"]]
        if heads == [(0, 3)]:
            return route.fulfill(status=500)
        return route.fulfill(body=pack_heads(explanation.attention, heads), content_type="application/octet-stream")

    js.page.route(f"{HOST}heads", respond)
    yield explanation, requests
    js.page.unroute(f"{HOST}heads")


FETCHING = """const sent = new Map([["0.0", new Uint16Array(225).fill(7)]]), calls = { arrived: 0, failed: 0 };
    const key = (layer, head) => `${layer}.${head}`;
    const loader = matrices.createMatrices({ ...input, matrix: (...head) => sent.get(key(...head)) ?? null,
      has: (...head) => sent.has(key(...head)),
      request: { url: "/heads", body: { id: "x" } } }, () => calls.arrived++, () => calls.failed++);"""


def test_a_head_is_fetched_once_and_then_cached(js, server):
    explanation, requests = server
    before, after, calls = js(
        FETCHING
        + """const before = loader.weights([[1, 2]]);
        await Promise.all([loader.fetchMissing([[1, 2]]), loader.fetchMissing([[1, 2]])]);
        await loader.fetchMissing([[1, 2]]);
        await loader.fetchMissing([[0, 0]]);
        return [before, loader.weights([[1, 2]]), calls]""",
        input=INPUT,
    )
    assert requests == [{"id": "x", "heads": [[1, 2]]}], "neither twice nor a head that was included"
    assert before is None and calls == {"arrived": 2, "failed": 0}
    np.testing.assert_allclose(np.reshape(after, (15, 15)), explanation.attention[1, 2], atol=1.6e-5)


def test_the_mean_of_a_few_heads_is_computed_from_each(js, server):
    explanation, requests = server
    mean, head = js(
        FETCHING
        + """await loader.fetchMissing([[1, 0], [1, 1], [1, 2]]);
        return [loader.weights([[1, 0], [1, 1], [1, 2]]), loader.weights([[1, 1]])]""",
        input=INPUT,
    )
    assert [body["heads"] for body in requests] == [[[1, 0]], [[1, 1]], [[1, 2]]]
    np.testing.assert_allclose(np.reshape(mean, (15, 15)), explanation.attention[1, :3].mean(0), atol=1.6e-5)
    np.testing.assert_allclose(np.reshape(head, (15, 15)), explanation.attention[1, 1], atol=1.6e-5)


def test_the_mean_of_many_heads_is_fetched_as_one(js, server):
    explanation, requests = server
    heads = [[layer, head] for layer in range(2) for head in range(4)] + [[0, 1]]
    mean = js(FETCHING + "await loader.fetchMissing(heads); return loader.weights(heads)", input=INPUT, heads=heads)
    assert [body["heads"] for body in requests] == [heads]
    np.testing.assert_allclose(
        np.reshape(mean, (15, 15)), explanation.attention[tuple(np.transpose(heads))].mean(0), atol=1.6e-5
    )


def test_a_failure_is_reported_and_can_be_retried(js, server):
    weights, calls = js(
        FETCHING
        + """await loader.fetchMissing([[0, 3]]);
        await loader.fetchMissing([[0, 3]]);
        return [loader.weights([[0, 3]]), calls]""",
        input=INPUT,
    )
    assert weights is None and calls == {"arrived": 0, "failed": 2} and len(server[1]) == 2


def test_a_response_of_the_wrong_length_is_a_failure(js, server):
    weights, calls = js(
        FETCHING + "await loader.fetchMissing([[1, 2]]); return [loader.weights([[1, 2]]), calls]",
        input={**INPUT, "tokens": 14},
    )
    assert weights is None and calls["failed"] == 1


def test_recently_used_heads_are_cached_and_older_ones_dropped(js):
    """With 1,408 tokens a head takes 4 MB, so four fit into the cache."""
    cached = js(
        FETCHING
        + """const original = globalThis.fetch;
        globalThis.fetch = async () => new Response(new ArrayBuffer(1408 * 1408 * 2));
        const heads = Array.from({ length: 5 }, (_, head) => [0, head + 1]);
        for (const head of heads.slice(0, 4)) await loader.fetchMissing([head]);
        loader.weights([heads[0]]);
        await loader.fetchMissing([heads[4]]);
        globalThis.fetch = original;
        return heads.map((head) => loader.weights([head]) !== null)""",
        input={**INPUT, "tokens": 1408},
    )
    assert cached == [True, False, True, True, True]
