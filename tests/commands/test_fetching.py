"""The command `models fetch`: from a server, a folder and a zip; whatever goes wrong, nothing half is left."""

import shutil
import signal
import threading
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.further_models import leave_out
from tests.tiny import save_checkpoint
from tests.words import says
from viz_core import checkpoints
from viz_core.checkpoints import WEIGHTS

ALL = ("imdb/one", "imdb/two")


@pytest.fixture
def source(tmp_path, monkeypatch) -> Path:
    """The folder of a checkout with two models that this installation was built without."""
    root = tmp_path / "source"
    for name in ("one", "two"):
        folder = save_checkpoint(root, "imdb", name)
        (folder / "evidence").mkdir()
        (folder / "evidence" / "health.json").write_text("{}", encoding="utf-8")
    leave_out([root / name for name in ALL], tmp_path / "shipped", monkeypatch)
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return root


@pytest.fixture
def home(source, tmp_path) -> Path:
    """Where models are saved; there is nothing yet."""
    return tmp_path / "home"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Endless(Quiet):
    """Goes on after the end of a file, for longer than the buffers between it and a client that has left."""

    left = threading.Event()

    def copyfile(self, source, outputfile):
        super().copyfile(source, outputfile)
        try:
            for _ in range(1024):
                outputfile.write(bytes(2**16))
        except OSError:
            self.left.set()

    def send_header(self, keyword, value):
        if keyword != "Content-Length":
            super().send_header(keyword, value)


class Broken(Quiet):
    """Ends before it has sent what it announced."""

    def copyfile(self, source, outputfile):
        outputfile.write(source.read(10))


class Failing(Quiet):
    def do_GET(self):
        self.send_error(503)


@contextmanager
def served(folder: Path, handler: type = Quiet):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def zipped(folder: Path) -> Path:
    return Path(shutil.make_archive(str(folder), "zip", folder))


@contextmanager
def offered(folder: Path, kind: str):
    """The argument of `--from` for a server, the folder or a zip of it."""
    if kind == "server":
        with served(folder) as address:
            yield address
    else:
        yield str(zipped(folder) if kind == "zip" else folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def models_in(home: Path) -> list[str]:
    """Whatever is in the folders of tasks: what is half done, too."""
    return sorted(path.relative_to(home).as_posix() for path in home.glob("*/*"))


SOURCES = ("server", "folder", "zip")


@pytest.mark.parametrize("kind", SOURCES)
def test_a_model_is_fetched_as_it_is_and_opens(source, home, json_output, kind):
    (source / "imdb" / "one" / "notes.txt").write_text("not of the model", encoding="utf-8")
    with offered(source, kind) as place:
        assert json_output("models", "fetch", "--from", place, "imdb/one") == [
            {"model": "imdb/one", "state": "fetched"}
        ]
    assert models_in(home) == ["imdb/one"]
    expected = contents(source / "imdb" / "one")
    del expected["notes.txt"]
    assert contents(home / "imdb" / "one") == expected
    assert checkpoints.load("imdb", "one").name == "one"
    assert json_output("models", "fetch", "imdb/one") == [{"model": "imdb/one", "state": "here"}], "without a source"


def test_all_that_is_not_here_is_fetched_from_the_setting(source, home, json_output, monkeypatch):
    shutil.copytree(source / "imdb" / "one", home / "imdb" / "one")
    with served(source) as address:
        monkeypatch.setenv("VIZ_MODELS_URL", f"{address}/")
        states = {entry["model"]: entry["state"] for entry in json_output("models", "fetch", "--all")}
    assert states == {"imdb/one": "here", "imdb/two": "fetched"} and models_in(home) == list(ALL)


def test_without_a_name_the_models_are_listed_and_nothing_is_fetched(source, home, call):
    code, out, _ = call("models", "fetch", "--from", str(source))
    assert code == 0 and all(says(out, "fetching.state_missing", model=name) for name in ALL)
    assert says(out, "fetching.how") and not home.exists()


def test_a_checkout_has_all_models(call, checkpoints_dir, error_sentences):
    code, out, _ = call("models", "fetch", "--all")
    assert code == 0 and says(out, "fetching.nothing")
    assert says(call("models", "fetch", "imdb/tiny")[1], "fetching.state_here", model="imdb/tiny")
    assert says(error_sentences("models", "fetch", "imdb/none")[0], "fetching.unknown", name="imdb/none")


@pytest.mark.parametrize(
    ("arguments", "key", "values"),
    [
        (("imdb/none", "--from", "{source}"), "unknown", {"name": "imdb/none"}),
        (("one", "--from", "{source}"), "unknown", {"name": "one"}),
        (("../imdb/one", "--from", "{source}"), "unknown", {}),
        (("imdb/one",), "no_source", {"variable": "VIZ_MODELS_URL"}),
        (("imdb/one", "--from", "{source}.zip"), "bad_source", {}),
        (("imdb/one", "--from", __file__), "bad_source", {"source": __file__}),
        (("imdb/one", "--from", "ftp://example.org"), "bad_source", {}),
        (("imdb/one", "--from", "http://[::1"), "no_answer", {}),
    ],
)
def test_what_cannot_be_fetched_is_said(source, home, error_sentences, arguments, key, values):
    sentence, _ = error_sentences("models", "fetch", *(part.format(source=source) for part in arguments))
    assert says(sentence, f"fetching.{key}", **values) and models_in(home) == []


def change(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    ("damage", "key"),
    [
        (change, "wrong_content"),
        (lambda file: file.write_bytes(file.read_bytes()[:-1]), "wrong_content"),
        (lambda file: file.write_bytes(file.read_bytes() + b"more"), "wrong_content"),
        (Path.unlink, "no_file"),
    ],
)
def test_a_damaged_file_is_refused_and_the_models_before_it_stay(
    source, home, error_sentences, kind, damage: Callable, key
):
    damage(source / "imdb" / "two" / WEIGHTS)
    with offered(source, kind) as place:
        sentence, _ = error_sentences("models", "fetch", *ALL, "--from", place)
    assert says(sentence, f"fetching.{key}") and WEIGHTS in sentence and models_in(home) == ["imdb/one"]


@pytest.mark.parametrize(
    ("handler", "key", "values"), [(Broken, "no_answer", {}), (Failing, "no_answer", {"reason": "HTTP 503"})]
)
def test_a_server_that_fails_leaves_nothing(source, home, error_sentences, handler, key, values):
    with served(source, handler) as address:
        sentence, _ = error_sentences("models", "fetch", "imdb/one", "--from", address)
    assert says(sentence, f"fetching.{key}", **values) and models_in(home) == []


def test_of_a_file_that_does_not_end_no_more_is_read_than_it_should_have(source, home, call):
    with served(source, Endless) as address:
        code, _, error = call("models", "fetch", "imdb/one", "--from", address)
    assert code == 1 and says(error, "fetching.wrong_content") and models_in(home) == [] and Endless.left.wait(20)


def test_a_server_that_is_not_there_is_said(source, home, error_sentences):
    with served(source) as address:
        pass
    sentence, _ = error_sentences("models", "fetch", "imdb/one", "--from", address)
    assert says(sentence, "fetching.no_answer") and address in sentence and models_in(home) == []


def test_a_damaged_zip_is_refused(source, home, error_sentences):
    file = zipped(source)
    content = bytearray(file.read_bytes())
    start = content.index(b"imdb/one/" + WEIGHTS.encode()) + 200
    content[start : start + 100] = bytes(100)
    file.write_bytes(content)
    assert says(error_sentences("models", "fetch", "imdb/one", "--from", file)[0], "fetching.wrong_content")
    assert models_in(home) == []


def test_of_a_zip_only_the_files_of_the_model_are_unpacked(source, home, tmp_path, json_output):
    file = zipped(source)
    with zipfile.ZipFile(file, "a") as archive:
        for name in ("../outside", "imdb/one/../../../outside", "imdb/one/more", "/outside"):
            archive.writestr(name, b"x")
    json_output("models", "fetch", "imdb/one", "--from", str(file))
    assert contents(home / "imdb" / "one") == contents(source / "imdb" / "one")
    assert not list(tmp_path.rglob("outside"))


def test_a_model_of_somebody_else_with_the_name_stays(source, home, call, error_sentences):
    save_checkpoint(home, "imdb", "one")
    change(home / "imdb" / "one" / WEIGHTS)
    before = contents(home)
    sentence, _ = error_sentences("models", "fetch", *ALL, "--from", source)
    assert says(sentence, "fetching.taken", folder=str(home / "imdb" / "one")) and contents(home) == before
    code, out, _ = call("models", "fetch", "--all", "--from", source)
    assert code == 0 and says(out, "fetching.state_taken", model="imdb/one")
    assert contents(home / "imdb" / "one") == contents_below(before, "imdb/one") and models_in(home) == list(ALL)


def contents_below(all_files: dict[str, bytes], folder: str) -> dict[str, bytes]:
    return {name.removeprefix(f"{folder}/"): part for name, part in all_files.items() if name.startswith(folder)}


def test_a_full_disk_is_said_and_leaves_nothing(source, home, error_sentences):
    resource = pytest.importorskip("resource", reason="only where a limit can stand for a full disk")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        sentence, _ = error_sentences("models", "fetch", "imdb/one", "--from", source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert says(sentence, "fetching.not_saved", folder=str(home / "imdb" / "one")) and models_in(home) == []


def test_a_folder_that_cannot_be_written_is_said(source, home, error_sentences):
    home.write_text("a file where the folder should be", encoding="utf-8")
    assert says(error_sentences("models", "fetch", "imdb/one", "--from", source)[0], "fetching.not_saved")


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="Windows has other interrupts")
def test_after_an_interrupt_what_was_complete_stays(source, home, error_sentences):
    main, ended = threading.main_thread().ident, threading.Event()

    class Interrupting(Quiet):
        def do_GET(self):
            if "/two/" in self.path:
                signal.pthread_kill(main, signal.SIGINT)
                ended.wait()
            else:
                super().do_GET()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with served(source, Interrupting) as address:
            try:
                sentence, _ = error_sentences("models", "fetch", *ALL, "--from", address)
            finally:
                ended.set()
    finally:
        signal.signal(signal.SIGINT, before)
    assert says(sentence, "fetching.interrupted") and models_in(home) == ["imdb/one"]


def test_what_a_killed_fetch_left_is_removed(source, home, json_output):
    (home / "imdb" / f".one.{2**22 + 1}-0a0b0c0d.partial").mkdir(parents=True)  # no process has this number
    json_output("models", "fetch", "imdb/two", "--from", str(source))
    assert models_in(home) == ["imdb/two"]


def test_other_commands_say_how_a_model_is_fetched(source, home, error_sentences):
    sentence, _ = error_sentences("predict", "--task", "imdb", "--model", "one", "--text", "good")
    assert says(sentence, "checkpoints.not_fetched", name="imdb/one") and sentence.endswith("models fetch imdb/one")
    sentence, _ = error_sentences("train", "--task", "imdb", "--encoder", "imdb/one", "--estimate")
    assert says(sentence, "checkpoints.not_fetched", name="imdb/one")
