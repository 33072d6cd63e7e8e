import numpy as np
import pytest

from tests.rendering import examples
from tests.words import plain, says
from viz_core.records import Attribution, Failure
from viz_core.rendering.attributions import attribution_bars, top_columns

METHODS = ("leave_one_out", "integrated_gradients", "gradient_attention", "rollout", "attention")
SENTIMENT, PAIRS = ("negative", "positive"), ("different", "same")
REVIEW, PAIR, HOSTILE = (
    examples.encoding(*texts) for texts in ((examples.REVIEW,), examples.PAIR, (examples.HOSTILE,))
)


def attributions(encoding, target="positive", **values):
    """Made-up values of five methods; special tokens are 0 where the method omits them."""
    random = np.random.default_rng(len(encoding.tokens))
    records = []
    for method in METHODS:
        signed = method in METHODS[:2]
        count = len(encoding.tokens)
        row = random.normal(size=count) * ~encoding.special if signed else random.dirichlet(np.ones(count))
        records.append(
            Attribution(
                method,
                examples.labels(encoding),
                examples.groups(encoding),
                np.array(values.get(method, row)),
                target,
                signed,
                *((64, 0.012) if method == "integrated_gradients" else ()),
            )
        )
    return records


def test_a_column_of_bars_per_method_on_the_same_tokens(say, light):
    figure = attribution_bars(attributions(REVIEW), SENTIMENT, say, light)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert len(bars) == 5 and all(bar.orientation == "h" and list(bar.y) == list(bars[0].y) for bar in bars)
    assert list(bars[0].y)[:2] == ["2 · The", "3 · plot"] and len(bars[0].y) == 13, "special tokens are omitted"
    assert figure.layout.yaxis.range == (12.5, -0.5), "the first token stands on top"
    headings = [plain(heading.text) for heading in figure.layout.annotations]
    assert headings == [plain(say(f"attribution.{method}")) for method in METHODS]
    assert say("rendering.label_positive") in figure.layout.title.text and figure.layout.title.subtitle.text is None


@pytest.mark.parametrize(("target", "hues"), [("positive", (1, 0)), ("negative", (0, 1))])
def test_colours_tell_the_class_that_a_token_supports(say, light, target, hues):
    values = [0, 2.0, -1.0, *[0.0] * (len(REVIEW.tokens) - 3)]
    figure = attribution_bars(attributions(REVIEW, target, leave_one_out=values), SENTIMENT, say, light)
    assert list(figure.data[0].marker.color[:2]) == [light.classes[hue] for hue in hues]
    assert list(figure.data[0].x[:2]) == [2, -1] and figure.data[4].marker.color == light.accent
    label = say(f"rendering.label_{target}")
    assert [(entry.name, entry.marker.color) for entry in figure.data[5:]] == [
        (say("attribution.supports", label=label), light.classes[hues[0]]),
        (say("attribution.opposes", label=label), light.classes[hues[1]]),
        (say("attribution.unsigned"), light.accent),
    ]


def test_of_more_than_two_classes_what_opposes_a_class_supports_none(say, light):
    values = [0, 2.0, -1.0, *[0.0] * (len(REVIEW.tokens) - 3)]
    classes = ("negative", "positive", "different")
    figure = attribution_bars(attributions(REVIEW, "positive", leave_one_out=values), classes, say, light)
    assert list(figure.data[0].marker.color[:2]) == [light.categories[1], light.muted]


def test_long_inputs_show_the_tokens_ranked_highest_by_any_method_in_the_order_of_the_text(say, light):
    encoding = examples.long_text(80)
    records = attributions(encoding)
    figure = attribution_bars(records, SENTIMENT, say, light)
    assert len(figure.data[0].y) == 25 and says(figure.layout.title.subtitle.text, "attribution.longest", all=78)
    positions = [int(name.partition(" ")[0]) - 1 for name in figure.data[0].y]
    assert positions == sorted(positions)
    for record in records:
        assert np.abs(np.where(encoding.special, 0, record.values)).argmax() in positions


def test_top_columns_by_hand():
    values = np.array([[5, -6, 1, 0, 0], [0, 1, 0, 7, 2]], float)
    assert top_columns(values, 2).tolist() == [1, 3] and top_columns(values, 3).tolist() == [0, 1, 3]
    assert top_columns(values, 9).tolist() == [0, 1, 2, 3, 4]


def test_the_sentences_of_a_pair_are_separated_and_lettered(say, light):
    figure = attribution_bars(attributions(PAIR, "same"), PAIRS, say, light)
    assert [note.text for note in figure.layout.annotations[-2:]] == ["A", "B"]
    assert any(shape.y0 == shape.y1 == 5.5 for shape in figure.layout.shapes)


@pytest.mark.parametrize("value", [0.0, 1e-5])
def test_negligible_values_look_negligible(say, light, value):
    nothing = np.full(len(REVIEW.tokens), value)
    axes = attribution_bars(attributions(REVIEW, **dict.fromkeys(METHODS, nothing)), SENTIMENT, say, light).layout
    assert axes.xaxis.range == (-0.02, 0.02) and axes.xaxis.ticktext == ("0", "-0.020", "+0.020")
    assert axes.xaxis5.range == (0, 0.001) and axes.xaxis5.ticktext == ("0", "0.0010")


def test_markup_is_escaped(say, light):
    ticks = attribution_bars(attributions(HOSTILE), SENTIMENT, say, light).layout.yaxis.ticktext
    assert "&lt;b&gt;bold&lt;/b&gt;" in ticks


def test_inconsistent_records_are_rejected(say, light):
    records = attributions(REVIEW)
    with pytest.raises(ValueError, match="tokens"):
        attribution_bars([records[0], attributions(PAIR, "positive")[1]], SENTIMENT, say, light)
    with pytest.raises(ValueError, match="14 values"):
        attribution_bars(attributions(REVIEW, rollout=np.ones(14)), SENTIMENT, say, light)
    with pytest.raises(ValueError, match="'positive'.*different, same"):
        attribution_bars(records, PAIRS, say, light)
    with pytest.raises(Failure):
        attribution_bars(attributions(REVIEW, attention=np.full(15, np.nan)), SENTIMENT, say, light)


@pytest.mark.browser
class TestPictures:
    def test_of_a_review(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(attribution_bars(attributions(REVIEW), SENTIMENT, say, theme), f"attributions_{name}")

    def test_of_a_pair(self, look, picture_of_figure):
        theme, say, name = look
        figure = attribution_bars(attributions(PAIR, "different"), PAIRS, say, theme)
        picture_of_figure(figure, f"attributions_pair_{name}")

    def test_of_a_long_text(self, say, light, picture_of_figure):
        figure = attribution_bars(attributions(examples.long_text(80)), SENTIMENT, say, light)
        picture_of_figure(figure, "attributions_long")

    def test_of_hostile_tokens(self, say, light, picture_of_figure):
        picture_of_figure(attribution_bars(attributions(HOSTILE), SENTIMENT, say, light), "attributions_hostile")
