"""Tasks of one's own: found by their name alone, kept in a folder, read back as they were written."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.tasks.own import FRUITS, add_task, understood
from viz_core.datasets.own import SPLITS
from viz_core.language import Translator
from viz_core.records import Failure
from viz_core.tasks import all_tasks, find_task, get_task, own
from viz_core.tasks.own.definition import MOST_TITLE, Definition, define, is_own_name, new_name
from viz_core.tasks.own.folder import DEFINITION, ROWS, WITH_MODEL, read_rows
from viz_core.tasks.own.presets import own_presets
from viz_core.tasks.own.task import task_of

ZEROS = "0" * 24


def test_it_is_found_by_its_name_and_listed_nowhere():
    definition = add_task()
    task = get_task(definition.name)
    assert task.labels == tuple(FRUITS) and definition.name not in all_tasks()
    assert find_task(definition.name[:-1] + "0") is None or definition.name.endswith("0")
    assert Translator("zh")(f"{definition.name}.name") == "Fruit"


def test_names_cannot_be_guessed_and_are_addresses():
    names = {new_name("Café & Tee – 苹果") for _ in range(50)}
    assert len(names) == 50 and all(is_own_name(name) and name.startswith("own-cafe-tee-") for name in names)
    assert is_own_name(new_name("苹果"))


@pytest.mark.parametrize("name", ["", "imdb", "own-x", f"own-{'g' * 24}", f"../own-{ZEROS}", f"own-{ZEROS}/.."])
def test_other_names_are_none(name):
    assert not is_own_name(name) and own.find_definition(name) is None and not own.has_rows(name)


def test_rows_are_read_back_split_by_split():
    definition, rows = add_task(), understood().rows
    task = get_task(definition.name)
    for split in SPLITS:
        frame = task.read(split, "sample")
        assert list(frame["text"]) == list(rows["text"][rows["split"] == split])
        assert len(frame) == definition.counts[split] and list(frame.columns) == ["text", "label"]
    for split in ("duplicates", "unlabelled"):
        assert task.read(split, "sample").empty


def test_rows_that_were_deleted_are_a_sentence():
    definition = add_task()
    own.forget_rows(definition.name)
    own.forget_rows(definition.name)
    assert not own.has_rows(definition.name)
    with pytest.raises(Failure, match="own.no_rows"):
        get_task(definition.name).read("train", "sample")


def test_damaged_rows_are_a_sentence():
    definition = add_task()
    (own.folder() / definition.name / ROWS).write_bytes(b"PAR1 and no more")
    with pytest.raises(Failure, match="own.damaged_rows"):
        read_rows(definition.name, "train")


def test_definitions_are_listed_by_owner_the_newest_first():
    first, second = add_task("First", created=1.0), add_task("Second", created=2.0)
    add_task("Other", owner="ben")
    assert [task.title for task in own.definitions("anna")] == ["Second", "First"]
    assert own.find_definition(first.name) == first and len(own.definitions()) == 3
    own.delete(second.name)
    assert [task.title for task in own.definitions("anna")] == ["First"]
    with pytest.raises(Failure, match="own.unknown"):
        own.require_definition(second.name)


def test_a_changed_definition_is_read_at_once():
    definition = add_task()
    own.change(definition.name, tests=(("two lemons", "sour"),))
    tests = get_task(definition.name).behavioural_tests()
    assert [(test.texts, test.expected) for test in tests] == [(("two lemons",), "sour")]
    with pytest.raises(Failure, match="own.bad_definition"):
        own.change(definition.name, tests=(("two lemons", "bitter"),))


def test_what_is_over_is_expired():
    kept, over = add_task(), add_task(expires=100.0)
    add_task(expires=300.0)
    assert [task.name for task in own.expired(now=200.0)] == [over.name] and kept.expires is None


def test_a_folder_that_cannot_be_written_leaves_nothing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VIZ_TASKS_DIR", str(tmp_path / "file"))
    with pytest.raises(Failure, match="own.not_written"):
        add_task()


@pytest.mark.parametrize("room", [0, 200, 1_000], ids="{} bytes".format)
def test_a_file_that_cannot_be_written_to_its_end_leaves_nothing(room):
    """The kernel refuses the rest of a file, as a full disk does."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(Failure, match="own.not_written"):
            add_task()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(own.folder().iterdir())
    assert own.has_rows(add_task().name), "once there is room"


def test_two_people_who_create_tasks_at_once_get_one_each():
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: add_task("Fruit", owner=f"visitor {number % 2}"), range(24)))
    assert len({task.name for task in made}) == 24
    for number in range(2):
        mine = own.definitions(f"visitor {number}")
        assert len(mine) == 12 and all(len(read_rows(task.name, "train")) == task.counts["train"] for task in mine)
    assert {path.name for path in own.folder().iterdir()} == {task.name for task in made}


def test_a_model_brings_its_definition_without_its_owner(monkeypatch, tmp_path):
    definition = add_task()
    model = tmp_path / "elsewhere" / definition.name / "small"
    model.mkdir(parents=True)
    own.write_definition(model, definition)
    own.delete(definition.name)
    assert own.find_definition(definition.name) is None
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "elsewhere"))
    found = own.find_definition(definition.name)
    assert found == replace(definition, owner="", keeps_rows=False, shared=True), "nobody here can close it"
    assert "anna" not in (model / WITH_MODEL).read_text()
    assert get_task(definition.name).labels == definition.labels


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": ["sour"]},
        {"labels": ["sour", "sour"]},
        {"labels": ["sour", "s\nt"]},
        {"labels": "sour"},
        {"title": ""},
        {"title": "x" * (MOST_TITLE + 1)},
        {"title": "[a](b)"},
        {"title": "<b>"},
        {"tokens": "letters"},
        {"max_tokens": 10**9},
        {"max_tokens": "many"},
        {"counts": {"train": 1}},
        {"counts": {"train": -1, "validation": 1, "test": 1}},
        {"tests": [["text", "bitter"]]},
        {"tests": [["", "sour"]]},
        {"name": f"own-other-{ZEROS}"},
        {"surplus": 1},
    ],
)
def test_a_definition_that_anyone_may_have_written_is_checked(changed):
    definition = add_task()
    file = own.folder() / definition.name / DEFINITION
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | changed), encoding="utf-8")
    assert own.find_definition(definition.name) is None and not own.definitions()


def test_a_definition_survives_its_file():
    definition = add_task(tests=(("two lemons", "sour"),), expires=5.0)
    assert Definition.from_dict(json.loads(json.dumps(definition.to_dict()))) == definition


def test_an_underscore_of_a_file_name_becomes_a_space():
    assert define(understood(), "my_fruit_2026").title == "my fruit 2026"


def test_presets_fit_the_number_of_rows():
    few, many = own_presets(280, False, False, "imdb/minilm"), own_presets(5_000, False, True, "")
    assert list(few)[:2] == ["small", "finetune"] and list(many)[:2] == ["small", "wide"]
    assert few["small"].recipe.epochs > many["small"].recipe.epochs
    assert many["tfidf"].recipe.class_weights and many["small"].recipe.best == "mcc"
    assert {"tfidf", "bag", "lstm"} <= few.keys()


def test_a_title_means_its_task_unless_two_have_it():
    definition = add_task("imdb")
    assert own.resolve("imdb") == "imdb", "the task that ships"
    assert own.resolve(definition.name) == definition.name
    other = add_task("Pears")
    assert own.resolve("Pears") == other.name and own.resolve("Figs") == "Figs"
    add_task("Pears")
    assert own.resolve("Pears") == "Pears"


def test_classes_have_the_colours_of_their_owner():
    definition = add_task(colours=("#ffff00", "#ff00ff"))
    assert get_task(definition.name).colours == definition.colours
    assert Definition.from_dict(json.loads(json.dumps(definition.to_dict()))) == definition
    for wrong in (("#ffff00",), ("#ffff00", "red"), ("#ffff00", "#FF00FF;")):
        with pytest.raises(Failure, match="own.bad_definition"):
            own.change(definition.name, colours=wrong)


@pytest.mark.parametrize(
    ("languages", "pair", "start"),
    [(("en", "de"), False, "imdb/minilm"), (("de", "en"), False, ""), (("zh",), True, "afqmc/wide-distilled")],
)
def test_only_a_model_of_the_language_is_a_start(languages, pair, start):
    tests = (("a", "b", "sour"),) if pair else ()
    task = task_of(replace(define(understood(), "Fruit"), languages=languages, pair=pair, tests=tests))
    preset = task.presets.get("finetune")
    assert (preset.recipe.encoder if preset else "") == start
