"""What a packed input says besides its weights: pieces of text, model, labels, messages, its id."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.test_packing import unpack
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.packed_sides import text_fields


@pytest.mark.parametrize(
    "explanation",
    [
        examples.review(),
        examples.pair(),
        examples.hostile(),
        examples.explanation(examples.encode_by_spaces("👩🏽\u200d🚀 is", "\u202eשלום\u200b " + "long" * 75)),
        examples.explanation(examples.encode_by_spaces("<b>first\nsecond\t third")),
    ],
    ids=["review", "pair", "hostile", "far", "lines"],
)
def test_text_pieces_add_up_to_the_text(explanation):
    header = unpack(examples.pack_example(explanation))[0]
    for number, pieces in enumerate(header["texts"]):
        assert "".join(string for string, _ in pieces) == explanation.encoding.texts[number]
        tokens = [token for _, token in pieces if token >= 0]
        assert tokens == np.flatnonzero(explanation.encoding.segments == number).tolist(), "every token is in its place"


def test_a_special_token_in_a_text_is_a_piece_of_it_and_a_word_by_its_name():
    encoding = examples.encode_by_spaces("ab <m> cd")
    marked = replace(encoding, tokens=("[CLS]", "ab", "M", "cd", "[SEP]"), special=np.array([1, 0, 1, 0, 1], bool))
    fields = text_fields(marked)
    assert fields["texts"] == [[("", 0), ("ab", 1), (" ", -1), ("<m>", 2), (" ", -1), ("cd", 3), ("", 4)]]
    assert fields["wordLabels"] == ["[CLS]", "ab", "M", "cd", "[SEP]"]


def test_pieces_by_hand():
    header = unpack(examples.pack_example(examples.explanation(examples.encode_by_spaces("ab  cd ", "e"))))[0]
    first = [["", 0], ["ab", 1], [" ", -1], ["", 2], [" ", -1], ["cd", 3], [" ", -1], ["", 4], ["", 5]]
    assert header["texts"] == [first, [["e", 6], ["", 7]]]
    header = unpack(examples.pack_example(examples.pair()))[0]
    assert header["texts"][1] == [["花", 8], ["呗", 9], ["如", 10], ["何", 11], ["还", 12], ["钱", 13], ["", 14]]


def test_fields_of_the_model_and_the_input():
    explanation = examples.pair(pooling="mean", model="large")
    unknown = replace(explanation.encoding, unknown=np.arange(15) == 3)
    explanation = replace(explanation, encoding=unknown)
    header = unpack(examples.pack_example(explanation))[0]
    assert (header["model"], header["pooling"], header["grid"]) == ("large", "mean", [15, 15])
    assert header["words"] == explanation.encoding.words.tolist()
    assert header["unknown"] == [index == 3 for index in range(15)]
    np.testing.assert_allclose(header["peaks"], explanation.attention.max((2, 3)), rtol=1e-6)
    statistics = head_statistics(explanation)
    named = {name: values for name, values in vars(statistics).items() if name not in ("received", "uniform")}
    expected = {name: values for name, values in named.items() if values is not None}  # no punctuation in this pair
    assert header["statistics"].keys() == expected.keys()
    for name, values in expected.items():
        assert header["statistics"][name] == pytest.approx(np.round(values, 4), abs=1e-9), name
        assert header["uniform"][name] == round(statistics.uniform[name], 4), name


def test_the_header_is_compact_and_in_utf_8():
    data = examples.pack_example(examples.pair())
    header = unpack(data)[0]
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    assert data[4:].startswith(text.encode()) and "花" in text


def test_labels_escape_invisible_characters():
    header = unpack(examples.pack_example(examples.hostile()))[0]
    assert header["labels"][1:4] == ["</script><script>alert(1)</script>", "<img/src=x/onerror=alert(2)>", "&amp;&lt;"]
    assert [
        header["labels"][1 + examples.HOSTILE.index(text)] for text in ("\u202ekcab", "zero\u200bwidth", "שלום")
    ] == ["\\u202ekcab", "zero\\u200bwidth", "שלום"]
    assert header["wordLabels"] == header["labels"], "each word is a single token here"
    soft = unpack(examples.pack_example(examples.explanation(examples.encode_by_spaces("co\u00adoperate"))))[0]
    assert soft["labels"][1] == soft["wordLabels"][1] == "co¬operate"


def test_words_are_verbatim():
    header = unpack(examples.pack_example(examples.pair()))[0]
    assert header["wordLabels"] == ["[CLS]", "花呗", "怎么", "还款", "[SEP]", "花呗", "如何", "还钱", "[SEP]"]
    assert header["groups"] == [-1, *[0] * 6, -1, *[1] * 6, -1] and header["pair"] is True


def test_a_space_before_a_word_is_no_part_of_its_label():
    """Byte-level tokenizers have it as the first piece; a word of white space alone stays visible."""
    spaced = examples.encode_by_spaces("ab c")  # [CLS] ab c [SEP]
    for span, label in (((2, 4), "c"), ((2, 3), "␣")):
        offsets = spaced.offsets.copy()
        offsets[2] = span
        assert text_fields(replace(spaced, offsets=offsets))["wordLabels"] == ["[CLS]", "ab", label, "[SEP]"]


def test_the_messages_are_in_the_requested_language():
    chinese, english = (
        unpack(examples.pack_example(examples.review(), language=language))[0] for language in ("zh", "en")
    )
    assert chinese["catalogue"]["heatmap"] == "热力图" and english["catalogue"]["heatmap"] == "Heat map"
    assert chinese["catalogue"].keys() == english["catalogue"].keys()
    assert chinese["id"] == english["id"], "the same input in another language"


def test_different_texts_or_models_have_different_ids():
    inputs = [
        examples.review(),
        examples.pair(),
        examples.explanation(examples.encoding("The plot is good")),
        examples.review(model="large"),
        examples.review(heads=2),
    ]
    other_weights = examples.review().attention.copy()
    other_weights[-1, -1, -1, :2] = other_weights[-1, -1, -1, 1::-1]  # of the last query alone
    inputs.append(replace(examples.review(), attention=other_weights))
    assert len({unpack(examples.pack_example(explanation))[0]["id"] for explanation in inputs}) == 6
    assert (
        unpack(examples.pack_example(examples.review()))[0]["id"] == unpack(examples.pack_example(inputs[0]))[0]["id"]
    )
