"""Tatoeba's pairs in the publisher's layout, and splits that share no sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.datasets.archives import folder, zip_archive
from viz_core.datasets.held_out import comparable
from viz_core.datasets.tatoeba import TATOEBA, members, parse
from viz_core.records import Failure

ATTRIBUTION = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)"


def lines(pairs) -> str:
    """A file that begins with a byte-order mark and ends with an empty line, as the publisher's does."""
    return "\ufeff" + "".join(f"{english}\t{chinese}\t{ATTRIBUTION}\n" for english, chinese in pairs) + "\n"


def parse_pairs(pairs) -> dict[str, list[tuple[str, str]]]:
    """The pairs of each split, as Chinese and English."""
    frames = parse(iter([("cmn.txt", lines(pairs).encode())]))
    return {split: list(frame.itertuples(index=False, name=None)) for split, frame in frames.items()}


@pytest.fixture(params=["archive", "folder"])
def source(request, tmp_path):
    files = {"cmn.txt": lines((f"Word {number}.", f"词{number}。") for number in range(22)), "_about.txt": "About"}
    if request.param == "folder":
        return folder(tmp_path / "data" / TATOEBA.folder, files)
    return zip_archive(tmp_path / "data" / TATOEBA.archive, files)


def test_every_twentieth_group_is_validation_and_the_next_one_test(source):
    assert TATOEBA.find() == source
    rows = {split: TATOEBA.read(split)["text"].tolist() for split in ("train", "validation", "test")}
    assert rows["validation"] == ["词0。", "词20。"] and rows["test"] == ["词1。", "词21。"]
    assert rows["train"] == [f"词{number}。" for number in range(2, 20)]
    assert list(TATOEBA.read("train")) == ["text", "text_b"] and TATOEBA.read("train")["text_b"][0] == "Word 2."
    assert TATOEBA.read("duplicates").empty and TATOEBA.read("unlabelled").empty


def test_pairs_linked_by_a_sentence_stay_together_whatever_its_punctuation():
    linked = [("Hi.", "嗨。"), ("Hello!", "嗨！"), ("hello", "你好。"), ("Good day.", "你好")]
    others = [(f"Word {number}.", f"词{number}。") for number in range(3)]
    splits = parse_pairs(linked + others)
    assert splits["validation"] == [(chinese, english) for english, chinese in linked]
    assert splits["test"] == [("词0。", "Word 0.")] and len(splits["train"]) == 2


def test_the_same_word_in_both_languages_links_nothing():
    splits = parse_pairs([("OK.", "好。"), ("Fine.", "OK。")])
    assert splits["validation"] == [("好。", "OK.")] and splits["test"] == [("OK。", "Fine.")]


SENTENCES = st.integers(0, 60).map(lambda number: f"S{number}" + "." * (number % 3))


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=80))
def test_no_sentence_of_a_split_occurs_in_another(pairs):
    splits = parse_pairs(pairs)
    assert sum(map(len, splits.values())) == len(pairs)
    for side in (0, 1):
        sentences = [{comparable(pair[side]) for pair in splits[split]} for split in ("train", "validation", "test")]
        assert sum(map(len, sentences)) == len(set().union(*sentences))


@pytest.mark.parametrize(
    "name, text, reason",
    [
        ("other.txt", lines([("a", "b")]), "it holds no cmn.txt"),
        ("cmn.txt", "\n", "holds no pairs"),
        ("cmn.txt", "Hi.\t嗨。\tx\nalone\n", "cmn.txt, line 2: no pair of sentences"),
    ],
)
def test_a_damaged_archive_is_refused(tmp_path, name, text, reason):
    zip_archive(tmp_path / "data" / TATOEBA.archive, {name: text})
    with pytest.raises(Failure) as failure:
        TATOEBA.read("train")
    assert failure.value.message.key == "datasets.unreadable" and reason in failure.value.message.values["reason"]


def test_paths_that_lead_out_of_the_archive_are_ignored(tmp_path):
    archive = zip_archive(tmp_path / "cmn-eng.zip", {"../cmn.txt": "x", "cmn.txt": lines([("a", "b")])})
    assert [path for path, _ in members(archive)] == ["cmn.txt"]
