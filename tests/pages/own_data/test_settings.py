"""What is typed wrongly into the settings is said below its field at once, and the training does not start."""

import pytest

from tests.pages.app import open_page, page_text
from tests.tasks.own import table
from tests.words import says
from viz_core import checkpoints
from viz_core.jobs import runs
from viz_core.tasks import own

pytestmark = pytest.mark.usefixtures("runs_dir")


def upload():
    app = open_page("your-data")
    app.file_uploader(key="own_file_0").set_value(("fruit.csv", table().to_csv(index=False).encode(), "text/csv")).run()
    assert not app.exception and not app.error
    return app


def type_tests(lines: str):
    app = upload()
    app.text_area(key="own_tests_1").set_value(lines).run()
    assert not app.exception
    return app


def test_all_wrong_tests_are_named_as_soon_as_they_are_typed():
    app = type_tests("two figs | sweet\n\nfigs\nlimes | salty\n | sour")
    (error,) = app.error
    assert says(error.value, "own_data.bad_tests", known="sour, sweet")
    assert says(error.value, "own_data.bad_test", line=3) and says(error.value, "own_data.bad_test", line=5)
    assert says(error.value, "own_data.bad_test_label", line=4, label="salty")
    app.text_area(key="own_tests_1").set_value("two figs | sweet").run()
    assert not app.error


def test_of_many_wrong_tests_the_first_are_named_and_the_others_counted():
    app = type_tests("\n".join(["figs"] * 60 + ["limes | " + "very " * 100 + "sour"] * 40))
    (error,) = app.error
    assert says(error.value, "own_data.bad_test", line=1) and not says(error.value, "own_data.bad_test", line=60)
    assert says(error.value, "own_data.more_bad_tests", count=97) and len(error.value) < 400


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ("figs | sweet\n" * 101, "many_tests"),
        (f"{'figs ' * 500} | sweet", "long_test"),
        (f"limes | {'very ' * 100}sour", "bad_test_label"),
    ],
)
def test_too_much_is_said_in_a_short_sentence(lines, key):
    (error,) = type_tests(lines).error
    assert says(error.value, f"own_data.{key}") and len(error.value) < 400


def test_a_wrong_name_is_said_below_its_field():
    app = upload()
    app.text_input(key="own_title_1").set_value("*fruit*").run()
    assert says(app.error[0].value, "own_data.bad_title")
    app.text_input(key="own_title_1").set_value("fruit").run()
    assert not app.error


def test_train_says_the_same_and_trains_nothing():
    app = type_tests("figs")
    app.button(key="own_train").click().run()
    below_box, below_button = app.error
    assert below_box.value == below_button.value and not own.definitions() and not runs.list_runs()
    app.text_area(key="own_tests_1").set_value("figs | sweet")
    app.button(key="own_train").click().run()
    assert not app.exception and own.definitions()[0].tests == (("figs", "sweet"),)


def test_the_columns_that_a_model_learns_from_come_first():
    frame = table().assign(number=range(len(table())))[["number", "text", "label"]]
    app = open_page("your-data")
    app.file_uploader(key="own_file_0").set_value(("fruit.csv", frame.to_csv(index=False).encode(), "text/csv")).run()
    (rows,) = (shown for shown in app.dataframe if "number" in shown.value)
    assert rows.proto.column_order == ["label", "text", "number"]
    assert says(page_text(app), "own_data.rows", read=len(frame))


def test_the_encoder_can_continue_from_a_model_that_reads_the_language(checkpoints_dir):
    assert not upload().radio, "there is no such model here"
    (checkpoints_dir / "imdb" / "minilm").parent.mkdir(exist_ok=True)
    (checkpoints_dir / "imdb" / "minilm").symlink_to(checkpoints.FOLDER / "imdb" / "minilm")
    app = upload()
    app.radio(key="own_encoder_1").set_value("finetune").run()
    (tokens,) = (box for box in app.selectbox if box.key.startswith("own_tokens_1"))
    assert tokens.disabled and tokens.value == "byte_pairs"
    app.button(key="own_train").click().run()
    assert not app.exception and not app.error
    assert [run.request.settings["preset"] for run in runs.list_runs()] == ["finetune", "bag", "tfidf"]


def test_colours_are_kept_once_one_is_changed():
    app = upload()
    app.color_picker[1].set_value("#123456").run()
    app.button(key="own_train").click().run()
    (task,) = own.definitions()
    assert task.colours[1] == "#123456" and task.colours[0] not in ("", "#123456")


def test_colours_that_are_left_alone_are_those_of_the_page():
    upload().button(key="own_train").click().run()
    (task,) = own.definitions()
    assert task.colours == ()


def test_of_another_language_it_starts_from_scratch():
    frame = table().assign(text=lambda rows: "Das sind die " + rows["text"].str.split().str[1] + " aus dem Garten")
    app = open_page("your-data")
    app.file_uploader(key="own_file_0").set_value(("obst.csv", frame.to_csv(index=False).encode(), "text/csv")).run()
    assert not app.exception and not app.radio
