"""`whatif`: predictions before and after changes, of classifiers, language models and models without a prediction."""

import pytest

from tests.adapters.test_language_model import network
from tests.adapters.test_opening import save_model
from tests.adapters.tiny_networks import byte_pairs
from tests.words import says
from viz_core import checkpoints
from viz_core.adapters.opening import open_model
from viz_core.analysis.explain import encode
from viz_core.analysis.whatif import Changes, embedding_similarities, predict_with_changes

pytestmark = pytest.mark.process  # models are tried out in a process of their own


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("elsewhere")
    network("Llama").save_pretrained(root / "llama")
    byte_pairs(40).save_pretrained(root / "llama")
    return {"llama": root / "llama", "base": save_model(root / "base", kind="Model")}


def test_heads_and_tokens_of_a_classifier_count_from_1(json_output, checkpoints_dir):
    options = ("--mask", "1.2", "2.1", "--uniform", "1.1", "--remove", 2, "--block", 3, "--unknown", 4)
    output = json_output("whatif", "--task", "imdb", "--model", "tiny", "--text", "a good film", *options)
    checkpoint = checkpoints.load("imdb", "tiny")
    changes = Changes(
        masked=frozenset({(0, 1), (1, 0)}),
        uniform=frozenset({(0, 0)}),
        removed=frozenset({1}),
        blocked=frozenset({2}),
        unknown=frozenset({3}),
    )
    before, after = predict_with_changes(checkpoint, encode(checkpoint, "a good film"), [Changes(), changes])
    assert output["tokens"] == ["[CLS]", "a", "good", "film", "[SEP]"]
    rows = output["probabilities"]
    assert [row["label"] for row in rows] == ["negative", "positive"]
    assert [row["before"] for row in rows] == pytest.approx(before) and [row["after"] for row in rows] == pytest.approx(
        after
    )
    assert set(output["label"]) == {"before", "after"}


def test_of_a_language_model_the_likeliest_tokens_before_and_after_are_printed(json_output, folders):
    reference = f"path:{folders['llama']}"
    heads = [f"{layer}.{head}" for layer in (1, 2, 3) for head in (1, 2, 3, 4)]
    output = json_output("whatif", "--model", reference, "--text", "the cat", "--mask", *heads, "--delete", 2)
    rows = output["probabilities"]
    for when in ("before", "after"):
        likeliest = sorted((row[when] for row in rows), reverse=True)
        (row,) = (row for row in rows if row[when] == likeliest[0])
        assert output["label"][when] == row["label"]
    checkpoint = open_model(reference)
    changes = Changes(masked=frozenset((n // 4, n % 4) for n in range(12)), deleted=frozenset({1}))
    values = predict_with_changes(checkpoint, encode(checkpoint, "the cat"), [Changes(), changes])
    assert [max(row[when] for row in rows) for when in ("before", "after")] == pytest.approx(values.max(1))
    assert 8 <= len(rows) <= 16 and output["label"]["before"] != output["label"]["after"]


def test_without_a_prediction_there_is_the_similarity_of_the_embedding(json_output, folders):
    reference = f"path:{folders['base']}"
    output = json_output("whatif", "--model", reference, "--text", "the cat", "--mask", "1.1")
    checkpoint = open_model(reference)
    changes = [Changes(masked=frozenset({(0, 0)}))]
    (similarity,) = embedding_similarities(checkpoint, encode(checkpoint, "the cat"), changes)[0]
    assert set(output) == {"model", "tokens", "similarity"} and output["similarity"] == pytest.approx(similarity)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (("--mask", "1"), "cli.bad_head"),
        (("--mask", "a.1"), "cli.bad_head"),
        (("--mask", "0.1"), "analysis.whatif_unknown_head"),
        (("--uniform", "9.1"), "analysis.whatif_unknown_head"),
        (("--remove", "9"), "analysis.whatif_unknown_token"),
        (("--block", "0"), "analysis.whatif_unknown_token"),
        (("--delete", "1"), "analysis.whatif_special_token"),
        (("--remove", "2", "3", "4"), "analysis.whatif_all_removed"),
    ],
)
def test_what_is_not_possible_is_refused(error_sentences, checkpoints_dir, options, key):
    message, _ = error_sentences("whatif", "--task", "imdb", "--model", "tiny", "--text", "a good film", *options)
    assert says(message, key), message
