import numpy as np
import pytest

from tests.words import plain, says
from viz_core.language import Translator
from viz_core.records import Curve, Evaluation
from viz_core.rendering import curves as module
from viz_core.rendering.curves import LOSS, LR, SPEED
from viz_core.rendering.theme import half_width, theme
from viz_core.tasks import CLASSIFICATION, TRANSLATION

MEASURES = {measure.name: measure for measure in (LOSS, *CLASSIFICATION.measures, *TRANSLATION.measures, LR, SPEED)}

HOSTILE = "<b>x</b> %{y} &amp; $a$ {0} \u202e" + "long" * 30


def rows(epochs=6, seed=0):
    """The lines of a metrics.jsonl."""
    noise = np.random.default_rng(seed).normal(size=(epochs, 2)) * 0.01
    return [
        {
            "phase": "train",
            "epoch": epoch,
            "loss": 0.7 * (0.8 + other_noise) ** epoch,
            "validation_loss": 0.65 * 0.86**epoch + loss_noise,
            "accuracy": 0.86 - 0.3 * 0.6**epoch + other_noise,
            "train_accuracy": 0.95 - 0.4 * 0.7**epoch,
            "auc": 0.93 - 0.3 * 0.6**epoch,
            "mcc": 0.72 - 0.6 * 0.6**epoch,
            "token_accuracy": 0.6 - 0.3 * 0.6**epoch,
            "bleu": 25 - 20 * 0.6**epoch,
            "chrf": 45 - 20 * 0.6**epoch,
            "lr": 1e-3 * (1 - epoch / (epochs + 1)),
            "tokens_per_second": 12_000 + 900 * (epoch % 3) + round(4e5 * other_noise),
        }
        for epoch, (loss_noise, other_noise) in enumerate(noise, 1)
    ]


def curves(run, lines, measure):
    """The curves from the lines of a metrics.jsonl."""
    return module.curves(run, [Evaluation.from_dict(line) for line in lines], MEASURES[measure])


def training_curves(series, say, theme, measure, *arguments, **more):
    return module.training_curves(series, say, theme, MEASURES[measure], *arguments, **more)


def several(count, measure="loss"):
    return [curve for number in range(count) for curve in curves(f"run {number + 1}", rows(seed=number), measure)]


@pytest.mark.parametrize("measure", MEASURES)
def test_lines_hold_the_numbers_of_the_run(say, light, measure):
    lines = rows(3)
    figure = training_curves(curves("small", lines, measure), say, light, measure)
    assert [line.type for line in figure.data] == ["scatter"] * len(MEASURES[measure].lines)
    for line, name in zip(figure.data, MEASURES[measure].lines.values(), strict=True):
        assert list(line.x) == [1, 2, 3] and list(line.y) == [row[name] for row in lines]
    assert [line.line.dash for line in figure.data] == ["solid", "dot"][: len(figure.data)]
    assert {line.line.color for line in figure.data} == {light.heads[0]}


def test_pretraining_is_excluded_and_missing_values_are_gaps(say, light):
    lines = [
        {"phase": "pretrain", "epoch": 1, "loss": 9.0},
        *rows(2),
        {"phase": "train", "epoch": 3, "loss": 0.1, "auc": None},
    ]
    validation, train = curves("small", lines, "loss")
    assert list(train.values[[0, 2]]) == [lines[1]["loss"], 0.1] and np.isnan(validation.values[2])
    assert np.isnan(curves("small", lines, "auc")[0].values[2])
    figure = training_curves([validation, train], say, light, "loss")
    assert not figure.data[0].connectgaps and "markers" in figure.data[0].mode


def styles(say) -> str:
    """What the subtitle says of solid and dotted lines."""
    return say("rendering.curve_styles", solid=say("rendering.curve_validation"), dotted=say("rendering.curve_train"))


def test_several_runs_have_a_hue_each_and_are_named_once(say, light):
    figure = training_curves(several(3), say, light, "loss")
    assert [line.line.color for line in figure.data] == [hue for hue in light.heads[:3] for _ in range(2)]
    assert sorted(note.text.rsplit(" ", 1)[0] for note in figure.layout.annotations) == ["run 1", "run 2", "run 3"]
    assert plain(figure.layout.title.subtitle.text) == plain(styles(say)) and not figure.layout.showlegend


def test_one_run_names_its_lines_with_their_last_numbers(say, light):
    figure = training_curves(curves("small", rows(2), "accuracy"), say, light, "accuracy", width=700)
    assert {note.text for note in figure.layout.annotations} == {
        f"{say('rendering.curve_validation')} {rows(2)[-1]['accuracy']:.1%}",
        f"{say('rendering.curve_train')} {rows(2)[-1]['train_accuracy']:.1%}",
    }
    assert plain(figure.layout.title.subtitle.text) == plain(f"small · {styles(say)}")
    assert figure.layout.width == 700


def test_labels_keep_apart(say, light):
    same = [Curve(f"run {number}", "lr", np.array([1.0]), np.array([0.5])) for number in range(6)]
    notes = training_curves(same, say, light, "lr").layout.annotations
    shifts = sorted(note.yshift for note in notes)
    assert len(notes) == 6 and min(np.diff(shifts)) >= light.small


def test_a_legend_where_labels_do_not_fit(say, light):
    figure = training_curves(several(30), say, light, "loss")
    assert figure.layout.showlegend and not figure.layout.annotations
    assert [line.showlegend for line in figure.data[:2]] == [True, False], "one entry per run"
    assert figure.data[0].name == "run 1"


def test_the_baseline_is_a_line_in_the_plot_area_explained_in_the_subtitle(say, light):
    figure = training_curves(curves("small", rows(2), "accuracy"), say, light, "accuracy", baseline=0.31)
    assert figure.layout.shapes[0].y0 == 0.31 and figure.layout.yaxis.range[0] < 0.31
    baseline = say("rendering.curve_baseline_other", value="31.0%")
    assert plain(figure.layout.title.subtitle.text) == plain(f"small · {styles(say)} · {baseline}")
    several_runs = training_curves(several(2, "accuracy"), say, light, "accuracy", baseline=0.5)
    baseline = say("rendering.curve_baseline_other", value="50.0%")
    assert plain(several_runs.layout.title.subtitle.text) == plain(f"{styles(say)} · {baseline}")


def test_the_baseline_has_no_label_in_the_plot_area(say, light):
    """A label in the plot area would cross the curves, which start near the baseline."""
    figure = training_curves(curves("small", rows(2), "accuracy"), say, light, "accuracy", baseline=0.5)
    assert all(note.xanchor == "left" and note.x == 1 for note in figure.layout.annotations)


@pytest.mark.parametrize("projector", [False, True])
def test_labels_of_the_y_axis_have_room(say, projector):
    """Also in small charts, where at least two stay."""
    small = half_width(theme("light", projector=projector))
    layout = training_curves(curves("small", rows(2), "loss"), say, small, "loss").layout
    inner = layout.height - layout.margin.t - layout.margin.b
    assert 3 <= layout.yaxis.nticks < 6 and layout.yaxis.nticks * small.small < inner


def test_learning_rate_and_speed_start_at_zero(say, light):
    for measure in ("lr", "speed"):
        figure = training_curves(curves("small", rows(2), measure), say, light, measure)
        assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.annotations[0].text == f"{say('rendering.curve_speed')} {rows(2)[-1]['tokens_per_second']:,}"


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("series", [[], [Curve("new", "", np.array([]), np.array([]))]], ids=["no run", "none yet"])
def test_without_values_there_are_empty_axes_and_a_sentence(say, light, measure, series):
    series = [Curve(curve.run, next(iter(MEASURES[measure].lines)), curve.epochs, curve.values) for curve in series]
    figure = training_curves(series, say, light, measure)
    assert not figure.data and says(figure.layout.annotations[0].text, "rendering.curves_none")
    assert figure.layout.xaxis.title.text == say("rendering.epoch")


def test_a_single_point_has_a_marker(say, light):
    figure = training_curves(curves("small", rows(1), "loss"), say, light, "loss")
    assert figure.data[0].mode == "lines+markers" and tuple(figure.layout.xaxis.range) == (0, 1)


def test_infinite_values_are_gaps(say, light):
    diverged = Curve("wild", "train", np.arange(1, 4), np.array([1.0, np.inf, 2.0]))
    figure = training_curves([diverged], say, light, "loss")
    assert np.isnan(figure.data[0].y[1]) and np.isfinite(figure.layout.yaxis.range).all()


def test_names_are_escaped(say, light):
    for series in (curves(HOSTILE, rows(2), "loss"), curves(HOSTILE, rows(2), "loss") + several(30)):
        figure = training_curves(series, say, light, "loss")
        texts = (
            [line.name for line in figure.data]
            + [line.text for line in figure.data]
            + [note.text for note in figure.layout.annotations]
            + [figure.layout.title.subtitle.text]
        )
        assert not any("<b>" in text or "\u202e" in text or "long" * 20 in text for text in texts)
        assert "HOSTILE" not in figure.data[0].hovertemplate and "&lt;b&gt;" not in figure.data[0].hovertemplate


def test_inconsistent_records_are_rejected(say, light):
    with pytest.raises(ValueError, match="2 epochs.*'a'.*1"):
        training_curves([Curve("a", "train", np.ones(2), np.ones(1))], say, light, "loss")
    with pytest.raises(ValueError, match="'mcc'.*'loss'"):
        training_curves([Curve("a", "mcc", np.ones(1), np.ones(1))], say, light, "loss")


@pytest.mark.browser
class TestPictures:
    def test_of_one_run(self, look, picture_of_figure):
        theme, say, name = look
        figure = training_curves(curves("imdb small", rows(), "accuracy"), say, theme, "accuracy", baseline=0.5)
        picture_of_figure(figure, f"curves_accuracy_{name}")

    def test_of_several_runs(self, look, picture_of_figure):
        theme, say, name = look
        picture_of_figure(training_curves(several(3), say, theme, "loss", width=760), f"curves_loss_{name}")

    @pytest.mark.parametrize("measure", ["auc", "mcc"])
    def test_of_scores(self, say, light, picture_of_figure, measure):
        picture_of_figure(
            training_curves(curves("small", rows(), measure), say, light, measure, baseline=MEASURES[measure].baseline),
            f"curves_{measure}",
        )

    def test_of_the_speed(self, say, light, picture_of_figure):
        picture_of_figure(training_curves(several(2, "speed"), say, light, "speed"), "curves_speed")

    def test_of_the_learning_rate(self, say, light, picture_of_figure):
        picture_of_figure(training_curves(curves("small", rows(25), "lr"), say, light, "lr"), "curves_lr")

    def test_of_many_runs(self, say, light, picture_of_figure):
        picture_of_figure(training_curves(several(16), say, light, "loss", width=760), "curves_many")

    def test_of_hostile_names(self, say, light, picture_of_figure):
        series = curves(HOSTILE, rows(), "loss") + curves("另一次训练，名字也很长很长很长", rows(3, seed=1), "loss")
        picture_of_figure(training_curves(series, say, light, "loss"), "curves_hostile")

    def test_of_nothing_yet(self, picture_of_figure):
        picture_of_figure(training_curves([], Translator("zh"), theme("dark", projector=True), "loss"), "curves_none")
