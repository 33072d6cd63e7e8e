"""Reading the titles: splits, labels, and what is wrong with a damaged file."""

import pytest

from viz_core.datasets.thucnews import LABELS, THUCNEWS, parse

DEV = "".join(f"标题{number}\t{number % 10}\n" for number in range(40))
TEST = "火箭发射\t4\n\n火箭三连败\t7\r\n"


def files(dev: str = DEV, test: str = TEST):
    return iter([("thucnews_titles/dev.txt", dev.encode()), ("thucnews_titles/test.txt", test.encode())])


def test_every_tenth_row_is_validation_and_labels_are_numbers_of_classes():
    frames = parse(files())
    assert list(frames["validation"]["text"]) == ["标题0", "标题10", "标题20", "标题30"]
    assert len(frames["train"]) == 36 and set(frames["train"]["label"]) == set(range(1, 10))
    assert list(frames["test"]["text"]) == ["火箭发射", "火箭三连败"]
    assert [LABELS[label] for label in frames["test"]["label"]] == ["science", "sports"]
    assert len(frames["unlabelled"]) == 0 and "label" not in frames["unlabelled"]


def test_a_title_of_validation_that_train_has_too_is_a_duplicate():
    frames = parse(files("同一条新闻！\t1\n" + "别的\t2\n" * 4 + "同一条 新闻\t1\n"))
    assert list(frames["duplicates"]["text"]) == ["同一条新闻！"] and len(frames["validation"]) == 0


def test_a_title_may_contain_tabs_and_line_separators():
    assert list(parse(files(test="前\t后\u2028完\t3\n"))["test"]["text"]) == ["前\t后\u2028完"]


@pytest.mark.parametrize("line", ["没有标签", "标题\t10", "标题\t-1", "标题\t", "标题\tx", "标题\t" + "9" * 5000])
def test_a_line_without_a_class_is_named(line):
    with pytest.raises(ValueError, match="test.txt, line 2"):
        parse(files(test=f"标题\t0\n{line}\n"))


def test_a_missing_file_is_named():
    with pytest.raises(ValueError, match="test.txt"):
        parse(iter([("dev.txt", DEV.encode())]))


@pytest.mark.real
def test_the_corpus_is_intact():
    assert THUCNEWS.verify() == []
    counts = {split: len(THUCNEWS.read(split)) for split in ("train", "validation", "duplicates", "test")}
    assert counts == {"train": 9000, "validation": 1000, "duplicates": 0, "test": 10000}
