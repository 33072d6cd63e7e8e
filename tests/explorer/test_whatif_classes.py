"""What-if of ten classes follows the class that was predicted, and names it; without any, the embedding is followed."""

from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.words import english, says

pytestmark = pytest.mark.browser

LABELS = (
    "finance",
    "realty",
    "stocks",
    "education",
    "science",
    "society",
    "politics",
    "sports",
    "game",
    "entertainment",
)
PROBABILITIES = np.array([0.05, 0.02, 0.2, 0.01, 0.01, 0.02, 0.03, 0.6, 0.05, 0.01])


def test_the_predicted_class_is_followed_and_named(open_whatif):
    whatif = open_whatif(replace(examples.pair(), labels=LABELS, probabilities=PROBABILITIES, threshold=None))
    assert whatif.headline == "sports 60.0% → 60.0% (±0.0 points)"
    assert "sports" in whatif.part("heads").locator(".ends").inner_text()
    assert whatif.page.locator(".lanes .heading").inner_text() == "sports"
    assert "entertainment" not in whatif.page.locator("#parent").inner_text()
    whatif.click(whatif.head(1, 1))
    assert "sports 60.0% → 40.0%" in whatif.headline
    assert says(whatif.control, "whatif.control", label="sports")
    whatif.click(whatif.head(1, 2))
    assert "“sports” → “stocks”" in whatif.flip
    assert "sports" in whatif.head(1, 1).get_attribute("title")


def test_another_class_can_be_followed_and_the_changes_stay(open_whatif):
    """Of the followed class 60% go to the others in proportion: stocks, 20% of the other 40%, has 30% of 60% then."""
    whatif = open_whatif(replace(examples.pair(), labels=LABELS, probabilities=PROBABILITIES, threshold=None))
    whatif.click(whatif.head(1, 1))
    assert "sports 60.0% → 40.0%" in whatif.headline
    whatif.show(tracked=LABELS.index("stocks"))
    assert whatif.headline.startswith("stocks 20.0% → 30.0%")
    assert "stocks" in whatif.part("heads").locator(".ends").inner_text()


@pytest.mark.parametrize("probabilities", [(0.2, 0.8), (0.8, 0.2)])
def test_of_two_classes_the_last_is_on_the_left_as_above_the_heat_map(open_whatif, probabilities):
    whatif = open_whatif(replace(examples.review(), probabilities=np.array(probabilities)))
    followed = int(np.argmax(probabilities))
    negative, positive = (
        whatif.page.locator(".lanes .ends").get_by_text(name).bounding_box() for name in ("negative", "positive")
    )
    assert positive["x"] < negative["x"]
    fill, track, threshold = (
        whatif.page.locator(f".lanes {part}").bounding_box()
        for part in (".before .fill", ".track.before", ".threshold")
    )
    assert fill["width"] == pytest.approx(0.8 * track["width"], abs=3)
    assert fill["x"] == pytest.approx(track["x"] + (0 if followed else 0.2) * track["width"], abs=3)
    assert threshold["x"] + threshold["width"] / 2 == pytest.approx(track["x"] + track["width"] / 2, abs=3)


def test_without_a_classifier_the_similarity_of_the_embedding_is_followed(open_whatif):
    whatif = open_whatif(replace(examples.pair(), labels=(), probabilities=np.zeros(0), threshold=None))
    name = "Cosine similarity"
    assert whatif.headline.startswith(f"{name} 1.000 → 0.999 (−0.001)"), "the made-up server gives at most 0.999"
    assert whatif.flip == english("whatif.similarity_note") and "%" not in whatif.part("prediction").inner_text()
    assert name in whatif.part("heads").locator(".ends").inner_text()
    assert "removed: the model skips it" in whatif.part("tokens").inner_text(), "no classifier is named"
    whatif.click(whatif.head(1, 1))
    assert whatif.headline == f"{name} 1.000 → 0.800 (−0.200)"
    assert says(whatif.control, "whatif.control_similarity", points="−0.199", mean="−0.050", spread="0.040")
    assert says(whatif.head(1, 1).get_attribute("title"), "whatif.head_described_similarity", effect="−0.200")
