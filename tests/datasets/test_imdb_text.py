"""Reviews as plain text: train has those without labels, and none of them is held out."""

from tests.datasets.archives import REVIEWS
from viz_core.datasets.imdb_text import IMDB_TEXT, parse


def test_the_unlabelled_reviews_are_in_train_unless_they_repeat_validation():
    frames = parse((name.removeprefix("aclImdb/"), text.encode()) for name, text in REVIEWS.items())
    texts = {split: sorted(frame["text"]) for split, frame in frames.items()}
    assert texts["train"] == ["bad film", "fine", "good<br />film", "poor", "some film"]
    assert texts["validation"] == ["awful", "lovely"]
    assert texts["test"] == ["café noir", "superb"]
    assert all(list(frame) == ["text"] for frame in frames.values()) and not len(frames["unlabelled"])
    assert frames["train"].index.tolist() == list(range(5))


def test_it_is_the_archive_of_the_labelled_reviews():
    assert (IMDB_TEXT.archive, IMDB_TEXT.published["train"]) == ("aclImdb_v1.tar.gz", 25_000 + 49_963)
