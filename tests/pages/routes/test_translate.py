"""The route of translations: frames in their order, refusals in sentences, and many visitors in turn."""

import asyncio
import json
from functools import partial

import pytest

from pages.routes.streams import JSON, Streams, json_frame
from pages.routes.translate import DIGITS, translate
from pages.shared.cache import warm_up
from tests.pages.routes import route_requests
from tests.tiny_translation import SOURCE, save_translation
from tests.words import chinese, english, says
from viz_core import checkpoints
from viz_core.analysis.translation import changes
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.analysis.turns import Client
from viz_core.records import Message

REQUEST = {"task": "tatoeba", "model": "tiny", "text": SOURCE, "language": "en"}
refusal_message = partial(route_requests.refusal_message, translate)


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path))
    save_translation(tmp_path, end=3.0)
    return checkpoints.load("tatoeba", "tiny")


def split(content: bytes) -> list[tuple[int, bytes]]:
    """The kind and the bytes of each frame."""
    frames = []
    while content:
        length = int.from_bytes(content[:4], "little")
        frames.append((content[4], content[5 : 5 + length]))
        content = content[5 + length :]
    return frames


async def read(response) -> bytes:
    return b"".join([piece async for piece in response.body_iterator])


def frames(**fields) -> list[dict]:
    """The JSON frames of a response, all of them with a single entry but the first."""
    response = route_requests.post(translate, REQUEST | fields)
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    return [json.loads(content) for kind, content in split(asyncio.run(read(response))) if kind == JSON]


def names(frames: list[dict]) -> list[str]:
    return [next(iter(frame)) for frame in frames]


def probabilities(step: dict) -> list[float]:
    return [step["probability"], *(probability for _, _, probability in step["candidates"])]


def test_the_words_come_one_by_one_and_then_the_translation(model):
    first, *steps, translation, exposure, end = frames()
    expected = list(translate_stepwise(model, model.text_encoder.encode(SOURCE)))
    assert first["source"]["labels"] == ["[CLS]", *SOURCE, "[SEP]"] and first["notices"] == []
    assert [step["step"]["token"] for step in steps] == [step.output.token for step in expected]
    for whole, live in zip(translation["translation"]["steps"], [step["step"] for step in steps], strict=True):
        assert (whole["id"], whole["token"], whole["rank"]) == (live["id"], live["token"], live["rank"])
        assert [word for _, word, _ in whole["candidates"]] == [word for _, word, _ in live["candidates"]]
        assert probabilities(whole) == pytest.approx(probabilities(live), abs=2e-5)  # another order of the same sums
    assert translation["translation"]["complete"] and end == {"end": True}
    assert exposure["exposure"]["passes"] == len(steps)
    likeliest = steps[0]["step"]["candidates"][0]
    assert likeliest == [expected[0].output.id, expected[0].output.token, round(expected[0].output.probability, DIGITS)]


def test_a_beam_search_sends_its_nodes_and_then_its_leaves():
    result = frames(decoding={"method": "beam", "width": 2})
    assert names(result)[0] == "source" and names(result)[-4:] == ["leaves", "translation", "exposure", "end"]
    assert set(names(result)[1:-4]) == {"nodes"} and result[1]["nodes"][0]["parent"] == -1
    assert result[-3]["translation"]["text"] == result[-4]["leaves"][0]["text"]


def test_a_reference_is_read_at_once():
    result = frames(reference="we go home.")
    assert names(result) == ["source", "translation", "exposure", "end"]
    assert [step["token"] for step in result[1]["translation"]["steps"]] == ["we", "go", "[UNK]", ".", "[SEP]"]
    assert "home" in result[1]["translation"]["notices"][0] and result[2]["exposure"]["passes"] == 0


def test_changes_are_compared_with_the_unchanged_translation():
    plain, changed = frames(), frames(blocked=[3], masked=[[0, 1]], fed=[[1, "school"]])
    assert names(changed)[-2:] == ["original", "end"] and "original" not in names(plain)
    original = changed[-2]["original"]
    assert original["steps"] == plain[-3]["translation"]["steps"]
    assert len(original["changed"]) == len(original["steps"]) and changed[2]["step"]["token"] == "school"
    assert original["changed"] != [step["probability"] for step in original["steps"]]


@pytest.mark.parametrize(
    "fields, status, key, values",
    [
        ({"text": " "}, 422, "text.blank", {"where": Message("text.the_text")}),
        ({"model": "none"}, 404, "pages.request_unknown_model", {}),
        ({"task": "imdb"}, 404, "pages.request_unknown_model", {}),
        ({"language": "fr"}, 400, "translation.request_unreadable", {}),
        ({"text": 1}, 400, "translation.request_unreadable", {}),
        ({"decoding": {"method": "guess"}}, 400, "translation.request_unreadable", {}),
        ({"decoding": {"seed": -1}}, 400, "translation.request_unreadable", {}),
        ({"decoding": {"width": 9}}, 422, "translation.width", {"most": 8, "width": 9}),
        ({"decoding": {"temperature": 0}}, 422, "translation.temperature", {}),
        ({"fed": [[0, "zebra"]]}, 422, "translation.not_a_word", {"word": "zebra"}),
        ({"fed": [[0]]}, 400, "translation.request_unreadable", {}),
        ({"blocked": [99]}, 422, "analysis.whatif_unknown_token", {"position": 100}),
        ({"masked": [[5, 0]]}, 422, "analysis.whatif_unknown_head", {"layer": 6, "head": 1}),
        ({"reference": "  "}, 422, "text.blank", {}),
    ],
)
def test_what_is_not_possible_is_refused_in_a_sentence(fields, status, key, values):
    assert says(refusal_message(REQUEST | fields, status), key, **values)


def test_a_sentence_in_the_wrong_language_is_translated_and_said_so():
    for say in (english, chinese):
        assert frames(text="we go", language=say.language)[0]["notices"] == [say("translation.no_chinese")]


def count(frames: list[bytes], seen: list[bytes]):
    """The frames one by one; `seen` has those that were computed."""
    for frame in frames:
        seen.append(frame)
        yield frame


def test_no_more_words_are_looked_up_than_a_translation_has(monkeypatch):
    monkeypatch.setattr(changes, "word_id", lambda checkpoint, word: pytest.fail("looked up"))
    body = REQUEST | {"fed": [[position, "school"] for position in range(40_000)]}
    assert says(refusal_message(body, 422), "translation.unknown_word")


NOBODY = Client(None, "192.0.2.1")


def test_streams_take_turns_frame_by_frame_and_send_no_empty_one():
    async def run() -> list[bytes]:
        streams, seen = Streams(), []

        async def consume(frames: list[bytes]) -> None:
            sent = [frame async for frame in streams.send(count(frames, seen), b"busy", None, NOBODY)]
            assert sent == [frame for frame in frames if frame]

        await asyncio.gather(consume([b"a", b"", b"a"]), consume([b"b"] * 3))
        assert streams.running == 0
        return seen

    assert asyncio.run(run()) == [b"a", b"b", b"", b"b", b"a", b"b"]


def test_a_newer_stream_of_the_same_visit_ends_the_older_and_no_other():
    async def run() -> tuple[list[bytes], list[bytes], list[bytes]]:
        streams, seen = Streams(), []
        old = streams.send(count([b"1", b"2", b"3"], seen), b"busy", "me", NOBODY)
        other = streams.send(count([b"x", b"y"], []), b"busy", "another", NOBODY)
        results = [await anext(old)], [await anext(other)], []
        results[2].extend([frame async for frame in streams.send(count([b"new"], []), b"busy", "me", NOBODY)])
        for stream, result in zip((old, other), results, strict=False):
            result.extend([frame async for frame in stream])
        assert streams.running == 0
        return results

    assert asyncio.run(run()) == ([b"1"], [b"x", b"y"], [b"new"])


def test_too_many_streams_are_asked_to_come_back():
    async def run() -> list[bytes]:
        streams = Streams(most=1)
        first = streams.send(count([b"1", b"2"], []), b"busy", None, NOBODY)
        await anext(first)
        refused = [frame async for frame in streams.send(count([b"3"], []), b"busy", None, NOBODY)]
        await first.aclose()
        return [*refused, *[frame async for frame in streams.send(count([b"4"], []), b"busy", None, NOBODY)]]

    assert asyncio.run(run()) == [b"busy", b"4"]


def test_half_a_character_can_be_quoted():
    assert json.loads(json_frame({"error": "\ud83d"})[5:]) == {"error": "\ud83d"}


def test_the_server_warms_up_even_with_a_model_that_cannot_be_loaded(model, tmp_path):
    warm_up()
    (tmp_path / "tatoeba" / "tiny" / "model.safetensors").unlink()
    warm_up()
    assert "model.safetensors" in refusal_message(REQUEST, 422)
