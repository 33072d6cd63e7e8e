"""What a translation is made of in the browser, without a page: frames, results, the state in a link, the tree."""

import pytest

from pages.routes.streams import PACKED, frame, json_frame
from tests.explorer.translation_page import search

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_frames_are_read_however_the_response_is_cut(js, size):
    content = json_frame({"step": {"token": "去"}}) + frame(PACKED, bytes(range(9))) + json_frame({"end": True})
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    read = """
      const stream = new ReadableStream({ start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      } });
      const frames = [];
      for await (const { json, packed } of translation_frames.readFrames(new Response(stream))) {
        frames.push(json ?? [...packed]);
      }
      return frames;"""
    assert js(read, pieces=pieces) == [{"step": {"token": "去"}}, list(range(9)), {"end": True}]


@pytest.mark.parametrize(
    "link",
    [
        {"decoding": "beam", "width": "8", "text": "我去。", "word": "3"},
        {"decoding": "sample", "temperature": "0.5", "seed": "12"},
        {"masked": "1.2 3.4", "blocked": "1 5", "fed": "1:we 3:: 4:[SEP]"},
        {"view": "training", "reference": "we go ."},
    ],
)
def test_a_link_describes_a_state_and_the_state_the_link(js, link):
    again = js("return translation_state.toLink(translation_state.fromLink(link, { layers: 3, heads: 4 }))", link=link)
    assert again.items() >= link.items()
    assert {name: value for name, value in again.items() if name not in link and value} == {
        name: value
        for name, value in {
            "view": "generation",
            "decoding": "greedy",
            "temperature": "1",
            "seed": "0",
            "width": "4",
        }.items()
        if name not in link
    }


@pytest.mark.parametrize(
    "name, value",
    [
        ("decoding", "x"),
        ("width", "0"),
        ("width", "99"),
        ("temperature", "x"),
        ("seed", "-1"),
        ("masked", "9.9"),
        ("masked", "x"),
        ("blocked", "0 x"),
        ("fed", "x:we 0:we 1:"),
        ("view", "x"),
    ],
)
def test_mistyped_links_are_the_default(js, name, value):
    state = js(
        "return [translation_state.fromLink(link, { layers: 3, heads: 4 }), translation_state.DEFAULTS]",
        link={name: value},
    )
    assert state[0] == state[1]


def test_a_result_grows_with_every_frame(js):
    step = {"token": "we", "probability": 0.5}
    frames = [
        {"source": {"labels": []}, "notices": ["a"]},
        {"step": step},
        {"translation": {"steps": [step, step], "notices": ["b"], "complete": False, "text": "we we"}},
        {"end": True},
    ]
    result = js(
        "return frames.reduce((result, json) => translation_result.grow(result, { json }), translation_result.EMPTY)",
        frames=frames,
    )
    assert result["steps"] == [step, step] and result["notices"] == ["a", "b"]
    assert (result["done"], result["complete"], result["text"]) == (True, False, "we we")


def test_while_a_beam_search_is_under_way_its_likeliest_sequence_is_shown(js):
    levels, _ = search(3)
    tokens = js(
        """return levels.reduce((result, nodes) => translation_result.grow(result, { json: { nodes } }),
          translation_result.EMPTY).steps.map(({ token }) => token)""",
        levels=levels[:3],
    )
    assert tokens == ["we", "go", "to"]


@pytest.mark.parametrize("width", [1, 3, 8])
def test_the_tree_has_the_best_sequence_in_its_first_row_and_no_two_nodes_in_a_place(js, width):
    levels, leaves = search(width)
    nodes = [node for level in levels for node in level]
    tree = js("return translation_beam_layout.layOutTree(nodes, leaves)", nodes=nodes, leaves=leaves)
    placed = {node["index"]: node for node in tree["nodes"]}
    assert set(placed) == {index for index, node in enumerate(nodes) if node["survives"]}
    assert len({(node["column"], node["row"]) for node in tree["nodes"]}) == len(placed)
    assert all(node["column"] == nodes[index]["depth"] - 1 for index, node in placed.items())
    assert all(node["row"] == 0 for node in tree["nodes"] if node["best"])
    for index, node in placed.items():  # a sequence goes on in its row or below it
        parent = nodes[index]["parent"]
        assert parent < 0 or placed[parent]["row"] <= node["row"]
    assert tree["rows"] == 1 + max(node["row"] for node in tree["nodes"])


@pytest.mark.parametrize(
    "link, is_greedy",
    [
        ({}, True),
        ({"temperature": "0.5", "seed": "3", "query": "2"}, True),
        ({"decoding": "beam"}, False),
        ({"decoding": "sample"}, False),
        ({"view": "training", "reference": "we go"}, False),
        ({"fed": "1:we"}, False),
        ({"masked": "1.1"}, False),
        ({"blocked": "2"}, False),
    ],
)
def test_a_greedy_translation_needs_no_more_than_its_text(js, link, is_greedy):
    state = "translation_state.fromLink(link, { layers: 3, heads: 4 })"
    assert js(f"return translation_state.isGreedy({state})", link=link) is is_greedy
