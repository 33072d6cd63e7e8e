"""Validation without the rows that repeat a text of train, and unlabelled texts without those of validation."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.datasets.held_out import comparable, hold_out

NONE = pd.DataFrame({"text": pd.Series(dtype=str), "text_b": pd.Series(dtype=str)})


def test_rows_by_hand_and_their_numbers():
    rows = pd.DataFrame(
        [
            ("Fine film.", 1, False),  # train 0
            ("Lovely", 1, True),  # held out 0
            ("fine  film", 1, True),  # held out 1: as in train, but for case, punctuation and spaces
            ("Poor", 0, False),  # train 1
            ("Awful", 0, True),  # held out 2
            ("Poor!", 0, True),  # held out 3: as in train
            ("awful", 0, True),  # held out 4: repeats validation, not train
        ],
        columns=["text", "label", "held_out"],
    )
    unlabelled = pd.DataFrame({"text": ["LOVELY!", "Fine film.", "poor", "Grand"]}, index=[3, 4, 5, 6])
    frames = hold_out(rows[["text", "label"]], rows["held_out"], unlabelled)
    assert dict(frames.pop("unlabelled")["text"]) == {0: "Fine film.", 1: "poor", 2: "Grand"}, "train may repeat them"
    assert {name: dict(frame["text"]) for name, frame in frames.items()} == {
        "train": {0: "Fine film.", 1: "Poor"},
        "validation": {0: "Lovely", 2: "Awful", 4: "awful"},
        "duplicates": {1: "fine  film", 3: "Poor!"},
    }
    assert all(list(frame) == ["text", "label"] for frame in frames.values())
    assert frames["validation"]["label"].tolist() == [1, 0, 0]


def test_one_sentence_of_train_on_either_side_makes_a_pair_a_duplicate():
    pairs = [("借呗", "花呗"), ("还款？", "分期"), ("分期 ", "账单"), ("账单", "额度"), ("额度", "花呗。")]
    frames = hold_out(pd.DataFrame(pairs, columns=["text", "text_b"]), pd.Series([False, True, True, True, True]), NONE)
    assert frames["validation"].index.tolist() == [0, 1, 2] and frames["duplicates"].index.tolist() == [3]
    pairs[0] = ("还款", "借呗")
    frames = hold_out(pd.DataFrame(pairs, columns=["text", "text_b"]), pd.Series([False, True, True, True, True]), NONE)
    assert frames["validation"].index.tolist() == [1, 2, 3] and frames["duplicates"].index.tolist() == [0]


def test_an_unlabelled_pair_with_a_sentence_of_validation_on_either_side_is_left_out():
    rows = pd.DataFrame([("花呗", "借呗"), ("分期", "账单")], columns=["text", "text_b"])
    others = pd.DataFrame([("还款", "账单。"), ("分期？", "额度"), ("额度", "花呗")], columns=["text", "text_b"])
    assert hold_out(rows, pd.Series([False, True]), others)["unlabelled"].to_numpy().tolist() == [["额度", "花呗"]]


@pytest.mark.parametrize(
    "first, second, same",
    [
        ("花呗怎么还？", "花呗怎么还", True),
        ("花呗 怎么还", "花呗怎么还?!…", True),
        ("ＡＰＰ１２", "app12", True),  # full width
        ("STRASSE", "straße", True),
        ("caf\u00e9", "cafe\u0301", True),  # composed and decomposed
        ("snake_case", "snake case", True),
        ("caf\u00e9", "cafe", False),
        ("花呗怎么还", "借呗怎么还", False),
        ("借1000", "借10000", False),
        ("good film", "film good", False),
    ],
)
def test_texts_are_compared_by_their_letters_and_digits(first, second, same):
    assert (comparable(first) == comparable(second)) == same


@given(st.lists(st.tuples(st.text("aA é1.,?"), st.booleans()), min_size=1, max_size=40))
def test_every_row_is_in_one_split_and_no_text_in_train_and_validation(rows):
    frame = pd.DataFrame({"text": [text for text, _ in rows]})
    held_out = pd.Series([is_held_out for _, is_held_out in rows])
    frames = hold_out(frame, held_out, frame)
    texts = {name: [comparable(text) for text in part["text"]] for name, part in frames.items()}
    assert not set(texts["train"]) & set(texts["validation"])
    everything = [comparable(text) for text in frame["text"]]
    assert texts["unlabelled"] == [text for text in everything if text not in texts["validation"]]
    assert set(texts["duplicates"]) <= set(texts["train"])
    assert frames["train"]["text"].tolist() == [text for text, is_held_out in rows if not is_held_out]
    others = dict(enumerate(text for text, is_held_out in rows if is_held_out))
    assert {**dict(frames["validation"]["text"]), **dict(frames["duplicates"]["text"])} == others
