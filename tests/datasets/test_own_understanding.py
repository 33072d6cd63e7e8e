"""What is in a table: usable rows, classes, splits, lengths; and what cannot be trained on."""

import numpy as np
import pandas as pd
import pytest

from viz_core.datasets.own import MOST_CLASSES, Columns, understand
from viz_core.records import Failure

COLUMNS = Columns("text", "label")


def table(count: int = 60, classes: int = 2, **columns: list[str]) -> pd.DataFrame:
    """Rows `a sentence about 0` … with labels c0, c1 …"""
    return pd.DataFrame(
        {
            "text": [f"a sentence about {row}" for row in range(count)],
            "label": [f"c{row % classes}" for row in range(count)],
        }
        | columns
    )


def keys(notes) -> list[str]:
    return [note.key.removeprefix("own.") for note in notes]


def failure(frame: pd.DataFrame, columns: Columns = COLUMNS) -> Failure:
    with pytest.raises(Failure) as caught:
        understand(frame, columns)
    return caught.value


def test_a_clean_table_is_understood():
    understood = understand(table(), COLUMNS)
    assert (understood.read, len(understood.rows), understood.labels) == (60, 60, ("c0", "c1"))
    assert understood.label_counts == {"c0": 30, "c1": 30} and understood.majority == 0.5
    assert sum(understood.split_counts.values()) == 60 and not understood.notes
    assert understood.lengths == (19, 19, 19) and understood.tokens == "words"
    assert understood.max_tokens() == 8, "four words and two special tokens; the shortest input is 8"
    assert list(understood.rows.columns) == ["text", "label", "split"] and understood.rows.index[0] == 2


def test_labels_are_numbered_in_their_order():
    frame = table(60, 3)
    frame["label"] = frame["label"].map({"c0": "10", "c1": "9.0", "c2": "-1"})
    assert understand(frame, COLUMNS).labels == ("-1", "9", "10")


def test_spellings_of_a_label_are_one_class():
    frame = table()
    frame.loc[0, "label"] = "C0"
    understood = understand(frame, COLUMNS)
    assert understood.labels == ("c0", "c1") and keys(understood.notes) == ["spellings"]


def test_empty_repeated_and_contradictory_rows_are_left_out_and_said():
    frame = table()
    frame.loc[0, "text"] = "  "
    frame.loc[1, "label"] = ""
    frame.loc[4, "text"] = frame.loc[2, "text"].upper() + "!"  # the same label
    frame.loc[7, "text"] = frame.loc[6, "text"]  # another label
    understood = understand(frame, COLUMNS)
    assert keys(understood.notes) == ["empty", "contradictions", "repeated"]
    assert [note.values["count"] for note in understood.notes] == [2, 2, 1] and len(understood.rows) == 55
    assert understood.notes[0].values["lines"] == [2, 3] and understood.notes[2].values["lines"] == [6]


def test_texts_without_letters_are_different_texts():
    frame = table(60)
    frame["text"] = [mark * (1 + row) for row, mark in enumerate("👍👎" * 30)]
    assert len(understand(frame, COLUMNS).rows) == 60


def test_a_pair_in_another_order_is_the_same_pair():
    frame = table().assign(other=[f"and another about {row}" for row in range(60)])
    frame.loc[2, ["text", "other"]] = frame.loc[0, ["other", "text"]].to_list()
    understood = understand(frame, Columns("text", "label", "other"))
    assert understood.pair and keys(understood.notes) == ["repeated"]
    assert list(understood.rows.columns) == ["text", "text_b", "label", "split"]


def test_classes_with_few_rows_are_left_out():
    frame = table()
    frame.loc[:3, "label"] = "rare"
    understood = understand(frame, COLUMNS)
    assert understood.labels == ("c0", "c1") and len(understood.rows) == 56
    assert understood.notes[0].values == {"labels": ["rare"], "count": 1, "fewest": 5}


def test_given_splits_are_kept_and_leaks_left_out():
    frame = table(60, split=["train"] * 30 + ["dev"] * 15 + ["Test"] * 15)
    frame.loc[0, "text"] = frame.loc[50, "text"]
    understood = understand(frame, Columns("text", "label", split="split"))
    assert understood.split_counts == {"train": 29, "validation": 15, "test": 15}
    assert keys(understood.notes) == ["leaked"] and understood.notes[0].values["lines"] == [2]


def test_a_group_stays_together():
    frame = table(60, author=[f"author {row // 6}" for row in range(60)])
    rows = understand(frame, Columns("text", "label", group="author")).rows
    by_author = rows.groupby((rows.index - 2) // 6)["split"].nunique()
    assert by_author.max() == 1


@pytest.mark.parametrize(
    ("texts", "tokens", "language"),
    [
        ("这是一个关于{}的句子", "characters", "zh"),
        ("これは{}についての文です", "characters", "ja"),
        ("ประโยคเกี่ยวกับ{}", "characters", "th"),
        ("une phrase sur {}", "words", "fr"),
        ("это предложение о {} в городе", "words", "ru"),
    ],
)
def test_tokens_suit_the_writing_and_the_language_is_found(texts, tokens, language):
    frame = table(60)
    frame["text"] = [texts.format(row) for row in range(60)]
    understood = understand(frame, COLUMNS)
    assert (understood.tokens, understood.languages) == (tokens, {language: 1.0})


def test_95_percent_of_the_rows_fit():
    frame = table(100)
    frame["text"] = [" ".join([f"word{row}"] * (20 if row < 95 else 400)) for row in range(100)]
    assert 22 <= understand(frame, COLUMNS).max_tokens() <= 50
    assert understand(frame, COLUMNS).max_tokens("characters") < 512


@pytest.mark.parametrize(
    ("frame", "key"),
    [
        (table(60, 1), "one_class"),
        (table(30), "few_rows"),
        (table(0), "few_rows"),
        (table(2, label=["0", "1"]), "few_rows"),
        (table(60, text=["the same"] * 60), "all_equal"),
        (table(600, MOST_CLASSES + 1), "many_classes"),
        (table(1_000, 500), "many_classes"),
        (table(60, label=[f"{row / 7:.3f}" for row in range(60)]), "numbers"),
        (table(60, label=[f"remark number {row}" for row in range(60)]), "label_is_text"),
        (table(60, label=["x" * 61, "y"] * 30), "bad_label"),
        (table(60, label=["a\nb", "y"] * 30), "bad_label"),
        (table(60, label=[""] * 60), "few_rows"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(frame, key):
    assert failure(frame).message.key == f"own.{key}"


def test_the_text_as_its_own_label_is_refused():
    frame = table(60, label=["good", "bad"] * 30).assign(text=["good", "bad"] * 30)
    assert failure(frame).message.key in ("own.label_is_text", "own.few_rows")


@pytest.mark.parametrize(
    ("splits", "key"),
    [
        (["train", "later"] * 30, "unknown_split"),
        (["test", "dev"] * 30, "no_train"),
        ((["train"] * 2 + ["test"] + ["train"]) * 15, "split_without_classes"),
    ],
)
def test_splits_that_do_not_work_are_refused(splits, key):
    frame = table(60, split=splits)
    assert failure(frame, Columns("text", "label", split="split")).message.key == f"own.{key}"


def test_a_test_that_repeats_train_is_refused():
    frame = pd.concat([table(60, split=["train"] * 60), table(60, split=["test"] * 60)], ignore_index=True)
    assert failure(frame, Columns("text", "label", split="split")).message.key == "own.test_is_train"


def test_a_class_that_is_in_no_row_of_train_is_refused():
    frame = table(60, 3, split=["train"] * 60)
    frame.loc[frame["label"] == "c2", "split"] = "test"
    frame.loc[:1, "split"] = "test"
    assert failure(frame, Columns("text", "label", split="split")).message.key == "own.class_not_trained"


def test_lines_are_those_of_the_file():
    frame = table()
    frame.loc[3, "text"] = ""
    understood = understand(frame, COLUMNS, np.arange(60) * 2 + 10)
    assert understood.notes[0].values["lines"] == [16]
