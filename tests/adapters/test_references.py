"""References: folders of this machine, and ids on a hub, which is a small server here."""

import hashlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest

from tests.adapters.spm_files import save_marian_tokenizers
from tests.adapters.test_opening import save_model
from viz_core.adapters import references
from viz_core.adapters.apart import Apart
from viz_core.adapters.folder import MOST_BYTES
from viz_core.adapters.opening import open_model
from viz_core.adapters.references import display_name, find_folder, is_reference
from viz_core.analysis.explain import explain
from viz_core.language import Translator
from viz_core.records import Failure, Message

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "ours/tiny-bert"


class Hub(ThreadingHTTPServer):
    """The requests of huggingface_hub that a download makes, for the model NAME in a folder."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.sent, self.size = folder, [], None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.respond(with_body=False)

    def do_GET(self):
        self.respond(with_body=True)

    def respond(self, with_body):
        path, folder = urlsplit(self.path).path, self.server.folder
        resolved = f"/{NAME}/resolve/{COMMIT}/"
        if path == f"/api/models/{NAME}/revision/main":
            return self.send({"id": NAME, "sha": COMMIT, "siblings": [{"rfilename": f.name} for f in folder.iterdir()]})
        if path == f"/api/models/{NAME}/tree/{COMMIT}":
            return self.send([self.entry(file) for file in folder.iterdir()])
        if path.startswith(resolved) and (file := folder / path.removeprefix(resolved)).exists():
            if with_body:
                self.server.sent.append(file.name)
            size = self.server.size or file.stat().st_size
            headers = {"ETag": f'"{digest(file)}"', "X-Repo-Commit": COMMIT, "Content-Length": str(size)}
            return self.reply(200, file.read_bytes(), with_body, headers)
        missing = {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}
        return self.reply(404, b"{}", with_body, missing)

    def entry(self, file):
        size = self.server.size or file.stat().st_size
        return {"type": "file", "path": file.name, "size": size, "oid": digest(file)}

    def send(self, value):
        self.reply(200, json.dumps(value).encode(), True, {"Content-Type": "application/json"})

    def reply(self, status, body, with_body, headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)


def digest(file):
    return hashlib.sha1(file.read_bytes(), usedforsecurity=False).hexdigest()


def use_hub(monkeypatch, url):
    monkeypatch.setenv("HF_ENDPOINT", url)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    folder = save_model(tmp_path / "published")
    (folder / "pytorch_model.bin").write_bytes(b"pickled")
    (folder / "modeling.py").write_text("raise SystemExit")
    for name, content in (
        ("chat_template.jinja", "{{ messages }}"),
        ("generation_config.json", '{"eos_token_id": [1, 2]}'),
    ):
        (folder / name).write_text(content, encoding="utf-8")
    server = Hub(folder)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    use_hub(monkeypatch, server.url)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def refusal(reference) -> Message:
    with pytest.raises(Failure) as failure:
        find_folder(reference)
    assert all(Translator(language)(failure.value.message) for language in ("en", "zh"))
    return failure.value.message


def key_of(reference) -> str:
    return refusal(reference).key


@pytest.mark.process
def test_a_model_of_the_hub_is_downloaded_once_without_code_and_pickled_files(hub):
    folder = find_folder(f"hf:{NAME}")
    assert {file.name for file in folder.iterdir()} - {"special_tokens_map.json"} == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "chat_template.jinja",
        "generation_config.json",
    }
    sent = list(hub.sent)
    assert "model.safetensors" in sent and find_folder(f"hf:{NAME}") == folder and hub.sent == sent
    assert explain(open_model(f"hf:{NAME}"), "the cat").model == NAME


@pytest.mark.process
def test_what_was_downloaded_opens_without_the_hub(hub, monkeypatch):
    folder = find_folder(f"hf:{NAME}")
    use_hub(monkeypatch, "http://127.0.0.1:9")
    assert find_folder(f"hf:{NAME}") == folder


@pytest.mark.process
def test_a_hub_that_cannot_be_reached_is_a_sentence(hub, monkeypatch):
    use_hub(monkeypatch, "http://127.0.0.1:9")
    message = refusal(f"hf:{NAME}")
    assert message.key == "adapters.hub_unreachable" and message.values["reason"] == "ConnectError"


@pytest.mark.process
@pytest.mark.parametrize(
    "removed, added, key",
    [
        ("model.safetensors", "pytorch_model.bin", "adapters.pickled"),
        ("tokenizer.json", "vocab.txt", "adapters.slow_tokenizer"),
    ],
)
def test_what_would_be_refused_is_not_downloaded_first(hub, removed, added, key):
    (hub.folder / removed).unlink()
    (hub.folder / added).write_bytes(b"")
    message = refusal(f"hf:{NAME}")
    assert (message.key, message.values["name"], message.values["files"]) == (key, NAME, [added])
    assert hub.sent == []


@pytest.mark.process
def test_the_tokenizers_of_marian_are_downloaded(hub):
    (hub.folder / "tokenizer.json").unlink()
    save_marian_tokenizers(hub.folder)
    folder = find_folder(f"hf:{NAME}")
    assert {"source.spm", "target.spm", "vocab.json"} <= {file.name for file in folder.iterdir()}


class Deaf:
    """A server that accepts connections, and says nothing or only the beginning of a file."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.callers = []
        Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):  # closed
            while True:
                self.callers.append(self._socket.accept()[0])

    def close(self):
        self._socket.close()
        for caller in self.callers:
            caller.close()


@pytest.fixture
def silent(hub, monkeypatch):
    server = Deaf()
    use_hub(monkeypatch, server.url)
    yield server
    server.close()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(references, "_PATIENCE", 0.2)


@pytest.mark.slow
@pytest.mark.process
def test_a_hub_that_says_nothing_is_a_sentence_after_a_while(silent, impatient):
    message = refusal(f"hf:{NAME}")
    assert (message.key, message.values["seconds"]) == ("adapters.hub_silent", 0.2)


@pytest.mark.slow
@pytest.mark.process
def test_what_was_downloaded_opens_with_a_hub_that_says_nothing(hub, monkeypatch):
    folder = find_folder(f"hf:{NAME}")
    server = Deaf()
    use_hub(monkeypatch, server.url)
    monkeypatch.setattr(references, "_PATIENCE", 0.2)
    assert find_folder(f"hf:{NAME}") == folder
    server.close()


@pytest.mark.slow
@pytest.mark.process
def test_whatever_arrives_is_heard_so_that_a_slow_download_goes_on(hub):
    process = Apart("viz_core.adapters.download", NAME, "main")
    heard = []
    while not heard or heard[-1] is None:
        heard.append(process.hear(60))
    process.end()
    assert str(find_folder(f"hf:{NAME}")) == heard[-1] and len(heard) > 2 * len(hub.sent)  # head and body of each file


class CalledOff(BaseException):
    """As Streamlit ends a script."""


@pytest.mark.process
def test_a_download_is_called_off_and_leaves_no_process(silent, monkeypatch):
    monkeypatch.setattr(references, "_PATIENCE", 600)

    def wait():
        if silent.callers:  # in the middle of it
            raise CalledOff

    with pytest.raises(CalledOff):
        find_folder(f"hf:{NAME}", wait)
    assert silent.callers[0].recv(2**16) and not silent.callers[0].recv(2**16)  # a request, then the end of the process


@pytest.mark.process
def test_others_open_models_while_somebody_waits_for_the_hub(silent, tmp_path, monkeypatch):
    monkeypatch.setattr(references, "_PATIENCE", 600)
    with ThreadPoolExecutor(1) as pool:
        is_over = Event()

        def wait():
            if is_over.is_set():
                raise Failure("adapters.no_reference", reference="")

        waits = pool.submit(lambda: find_folder(f"hf:{NAME}", wait))
        try:
            other = open_model(f"path:{save_model(tmp_path / 'mine')}").name
            assert other == "mine" and not waits.done()
        finally:
            is_over.set()
        with pytest.raises(Failure):
            waits.result()


@pytest.mark.process
def test_a_model_that_the_hub_does_not_have_is_a_sentence(hub):
    assert key_of("hf:ours/other") == "adapters.not_on_hub"


@pytest.mark.process
def test_weights_that_are_too_large_are_not_downloaded(hub):
    hub.size = MOST_BYTES
    assert key_of(f"hf:{NAME}") == "adapters.large_download" and hub.sent == []


@pytest.mark.parametrize(
    "reference, key",
    [
        ("bert", "adapters.no_reference"),
        ("hf:", "adapters.no_hub_id"),
        ("hf:../../etc", "adapters.no_hub_id"),
        ("hf:a b/c", "adapters.no_hub_id"),
        ("path:", "adapters.no_folder"),
        ("path:/no/such/folder", "adapters.no_folder"),
        ("path:\0", "adapters.no_folder"),
    ],
)
def test_what_is_no_reference_is_a_sentence(reference, key):
    assert key_of(reference) == key


def test_a_folder_is_named_without_the_way_to_it(tmp_path):
    (tmp_path / "mine").mkdir()
    assert find_folder(f"path:{tmp_path / 'mine'}") == tmp_path / "mine"
    assert display_name(f"path:{tmp_path / 'mine'}/") == "mine" and display_name("hf:a/b") == "a/b"
    assert display_name(f"path:{tmp_path / 'mine' / 'model'}") == "mine/model"
    assert is_reference("hf:a/b") and not is_reference("small")
