"""A model from another computer on the page: it becomes a task of the visitor; what is no such model leaves nothing."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.pages.app import open_page, page_text
from tests.pages.fake_runs import OWNER
from tests.pages.own_data.tables import make_model, make_task
from tests.words import says
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import CARD, CONFIG, METRICS, TOKENIZER, WEIGHTS
from viz_core.checkpoints.archive import pack
from viz_core.tasks import own
from viz_core.tasks.own.folder import WITH_MODEL

pytestmark = pytest.mark.usefixtures("runs_dir")
Files = dict[str, bytes]


@pytest.fixture
def packed(checkpoints_dir, monkeypatch, tmp_path) -> tuple[str, bytes]:
    """The name of a task, and a zip of its model, from another installation."""
    task = make_task(owner="somebody there", shared=True)
    model = checkpoints_dir / task / "small"
    make_model(task, model)
    own.write_definition(model, own.require_definition(task))
    (model / CARD).write_text("# Weather\n")
    pack(model, content := io.BytesIO())
    monkeypatch.setenv("VIZ_TASKS_DIR", str(tmp_path / "tasks here"))
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "checkpoints here"))
    return task, content.getvalue()


def take_in(content: bytes):
    app = open_page("your-data")
    app.file_uploader(key="own_import_0").set_value(("weather.zip", content, "application/zip")).run()
    app.button(key="own_import_now").click().run()
    assert not app.exception
    return app


def unzipped(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: Files, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(content := io.BytesIO(), "w", compression) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def with_file(packed: tuple[str, bytes], name: str, text: bytes) -> bytes:
    """The zip with another content of one file."""
    return zipped(unzipped(packed[1]) | {f"{packed[0]}/small/{name}": text})


def with_values(packed: tuple[str, bytes], file: str, **changed: object) -> bytes:
    """The zip with other values in a file; of `config.json` those of the model."""
    values = json.loads(unzipped(packed[1])[f"{packed[0]}/small/{file}"])
    (values["encoder"] if file == CONFIG and "kind" not in changed else values).update(changed)
    return with_file(packed, file, json.dumps(values).encode())


def files_here(tmp_path: Path) -> list[Path]:
    return [path for name in ("tasks here", "checkpoints here") for path in (tmp_path / name).rglob("*")]


def assert_refused(content: bytes, key: str, tmp_path: Path, **values: object) -> None:
    before = files_here(tmp_path)
    app = take_in(content)
    assert says(app.error[0].value, key, "en", **values), app.error[0].value
    assert files_here(tmp_path) == before


def test_a_model_from_elsewhere_becomes_a_task_of_this_visitor(packed, checkpoints_dir, as_other):
    task, content = packed
    app = take_in(content)
    assert not app.error and says(page_text(app), "own_data.kept", names="small")
    definition = own.require_definition(task)
    assert (definition.owner, definition.shared, definition.keeps_rows) == (OWNER, False, False)
    assert definition.expires and definition.expires > definition.created and not own.has_rows(task)
    ours = checkpoints.load(task, "small")
    theirs = checkpoints.load_folder(checkpoints_dir / task / "small", task)
    assert (explain(ours, "a puddle").attention == explain(theirs, "a puddle").attention).all()
    assert not [file for file in app.file_uploader if file.key == "own_import_0"], "the box is empty"
    page = open_page(task, task=task)
    assert not page.exception and not page.error
    as_other()
    assert says(open_page(task, task=task).info[0].value, "own.gone")


def test_another_model_of_the_same_task_is_added_and_no_name_is_taken_twice(packed, tmp_path):
    task, content = packed
    take_in(content)
    assert_refused(content, "own.model_here", tmp_path, name="small")
    renamed = {name.replace("/small/", "/second/"): text for name, text in unzipped(content).items()}
    assert not take_in(zipped(renamed)).error
    assert [info.name for info in checkpoints.task_checkpoints(task)] == ["small", "second"]
    assert len(own.definitions()) == 1


def test_a_task_of_somebody_else_is_refused(packed, tmp_path, as_other):
    take_in(packed[1])
    as_other()
    assert_refused(packed[1], "own.of_another", tmp_path, task="Weather")
    assert own.require_definition(packed[0]).owner == OWNER


def test_it_counts_as_one_of_the_tasks_of_a_visitor(packed, monkeypatch, tmp_path):
    monkeypatch.setenv("VIZ_TASKS_PER_VISITOR", "1")
    make_task()
    assert_refused(packed[1], "own.too_many", tmp_path)


def test_no_file_is_written_elsewhere_or_has_another_name(packed, tmp_path):
    task, content = packed
    files, bad = unzipped(content), "checkpoints.bad_archive"
    for path in (
        f"{task}/small/../../../evil",
        "../evil",
        "/evil",
        f"{task}/small/run.py",
        f"{task}/other/{CARD}",
        f"{task}/small/more/{CARD}",
        f"{task}\\small\\{CARD}",
    ):
        assert_refused(zipped(files | {path: b"evil"}), bad, tmp_path)
    for prefix in ("imdb/small", f"{task}/.hidden", f"{task}/..", f"../{task}/small"):
        assert_refused(
            zipped({name.replace(f"{task}/small", prefix): text for name, text in files.items()}), bad, tmp_path
        )
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("name", [WITH_MODEL, CONFIG, METRICS, TOKENIZER, WEIGHTS])
def test_a_file_that_is_missing_or_cut_is_said(packed, name, tmp_path):
    files, path = unzipped(packed[1]), f"{packed[0]}/small/{name}"
    for content in (zipped({other: text for other, text in files.items() if other != path}),
                    zipped(files | {path: files[path][: len(files[path]) // 2]})):  # fmt: skip
        before = files_here(tmp_path)
        assert take_in(content).error and files_here(tmp_path) == before


@pytest.mark.parametrize("end", [0, 100, -30])
def test_a_cut_zip_is_refused(packed, end, tmp_path):
    assert_refused(packed[1][:end] or b"PK", "checkpoints.bad_archive", tmp_path)


def test_a_damaged_zip_is_refused(packed, tmp_path):
    content = bytearray(packed[1])
    content[len(content) // 2] ^= 0xFF
    assert_refused(bytes(content), "checkpoints.bad_archive", tmp_path)


@pytest.mark.parametrize(
    ("name", "megabytes", "key"), [(WEIGHTS, 200, "large"), (TOKENIZER, 20, "bad"), (CARD, 2, "bad")]
)
def test_a_zip_bomb_is_refused_before_it_is_unpacked(packed, name, megabytes, key, tmp_path, monkeypatch):
    content = with_file(packed, name, bytes(megabytes * 2**20))
    assert len(content) < 2**20
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    assert_refused(content, f"checkpoints.{key}_archive", tmp_path)


def test_a_zip_that_declares_less_than_it_has_is_refused(packed, tmp_path):
    content = with_file(packed, WEIGHTS, bytes(200 * 2**20))
    size = (200 * 2**20).to_bytes(4, "little")
    assert content.count(size) == 2
    assert_refused(content.replace(size, (1000).to_bytes(4, "little")), "checkpoints.bad_archive", tmp_path)


def test_a_zip_of_very_many_files_is_refused(packed, tmp_path):
    files = {f"{packed[0]}/small/{number}": b"" for number in range(3_000)}
    assert_refused(zipped(files), "checkpoints.bad_archive", tmp_path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_compressions_are_refused(packed, compression, tmp_path):
    assert_refused(zipped(unzipped(packed[1]), compression), "checkpoints.bad_archive", tmp_path)


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"layers": 10**6}, "bad_config"),
        ({"vocabulary": 10**9}, "bad_config"),
        ({"width": 8000, "feedforward": 32_000, "vocabulary": 100_000}, "bad_config"),
        ({"layers": 64, "max_tokens": 1500}, "bad_config"),
        ({"layers": 3}, "misfit"),
        ({"vocabulary": 5_000}, "misfit"),
        ({"classes": 3}, "bad_config"),
        ({"kind": "decoder", "decoder": {}}, "bad_config"),
        ({"task": "imdb", "kind": "encoder"}, "wrong_task"),
    ],
)
def test_a_config_that_asks_for_another_model_is_refused(packed, changed, key, tmp_path):
    assert_refused(with_values(packed, CONFIG, **changed), f"checkpoints.{key}", tmp_path)


@pytest.mark.parametrize("changed", [{"name": f"own-other-{'0' * 24}"}, {"labels": ["wet"]}, {"max_tokens": 10**9}])
def test_another_definition_is_refused(packed, changed, tmp_path):
    assert_refused(with_values(packed, WITH_MODEL, **changed), "checkpoints.bad_archive", tmp_path)


def test_a_definition_gives_itself_no_owner(packed):
    take_in(with_values(packed, WITH_MODEL, owner="somebody", shared=True, expires=None, created=0.0))
    definition = own.require_definition(packed[0])
    assert (definition.owner, definition.shared) == (OWNER, False) and definition.expires and definition.created


def test_a_full_disk_leaves_nothing(packed, monkeypatch, tmp_path):
    def fail(*_):
        raise OSError(28, "No space left on device")

    (tmp_path / "tasks here").mkdir()
    (tmp_path / "checkpoints here").mkdir()
    monkeypatch.setattr("viz_core.checkpoints.archive.shutil.copyfileobj", fail)
    assert_refused(packed[1], "own.not_written", tmp_path)
    monkeypatch.undo()


def test_where_little_room_is_left_nothing_is_taken_in(packed, monkeypatch, tmp_path):
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1000000000")
    assert_refused(packed[1], "jobs.no_room", tmp_path)
