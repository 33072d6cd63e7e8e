"""Models are first loaded in a process with limits: whatever a config asks for, here nothing is held up."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.adapters.test_opening import edit_config, refusal, save_model
from tests.adapters.tiny_translators import save_translator
from viz_core.adapters import trial
from viz_core.adapters.opening import open_model
from viz_core.adapters.references import library_lock

pytestmark = pytest.mark.process


@pytest.fixture(scope="module", autouse=True)
def one_process():
    yield
    trial._trials.end()


@pytest.fixture
def folder(tmp_path):
    return save_model(tmp_path / "tiny-bert")


def limit(monkeypatch, seconds=60.0, gigabytes=2.0):
    """One of them so low that it is reached at once, the other so high that it never is."""
    monkeypatch.setattr(trial, "SECONDS", seconds)
    monkeypatch.setattr(trial, "GIGABYTES", gigabytes)


@pytest.mark.slow
def test_one_process_serves_all_trials_until_nobody_has_needed_it(folder, monkeypatch):
    monkeypatch.setattr(trial, "_trials", trials := trial._Trials())
    trial.try_loading(folder, "tiny-bert", 0)
    first = trials._process
    monkeypatch.setattr(trial, "_IDLE", 0.0)
    trial.try_loading(folder, "tiny-bert", 0)
    assert first is not None
    trials._clock.join()
    assert trials._process is None and first.has_ended


class CalledOff(BaseException):
    """As Streamlit ends a script."""


@pytest.mark.slow
def test_a_trial_is_called_off(folder):
    def wait():
        raise CalledOff

    with pytest.raises(CalledOff):
        open_model(f"path:{folder}", waiting=wait)
    assert trial._trials._process is None
    assert open_model(f"path:{folder}").name == "tiny-bert"


def test_a_config_that_lists_a_hundred_million_labels_is_refused(folder, monkeypatch):
    limit(monkeypatch, gigabytes=0.2)
    edit_config(folder, id2label=None, label2id=None, num_labels=10**8)
    assert refusal(folder) == "adapters.too_much_memory"


def test_modules_without_end_are_refused_while_others_may_import(tmp_path, monkeypatch):
    limit(monkeypatch, seconds=1)
    folder = save_model(tmp_path / "tiny-albert", "albert")
    edit_config(folder, num_hidden_groups=10**6)
    with ThreadPoolExecutor(1) as others:

        def takes_lock() -> bool:
            if is_free := library_lock.acquire(blocking=False):
                library_lock.release()
            return is_free

        seen = []
        with pytest.raises(Exception, match="adapters.no_end"):
            open_model(f"path:{folder}", waiting=lambda: seen.append(others.submit(takes_lock).result()))
    assert seen and all(seen)


@pytest.mark.slow
@pytest.mark.parametrize(
    "positions, limits, key",
    [(2 * 10**8, dict(gigabytes=0.5), "adapters.too_much_memory"), (10**6, dict(seconds=1), "adapters.no_end")],
)
def test_positions_without_end_are_refused(tmp_path, monkeypatch, positions, limits, key):
    limit(monkeypatch, **limits)
    folder = save_translator(tmp_path / "tiny-marian", "marian")
    edit_config(folder, max_position_embeddings=positions)
    assert refusal(folder) == key


@pytest.mark.slow
def test_words_of_any_length_are_refused_if_they_take_too_long(folder, monkeypatch):
    """WordPiece tries all pieces of a word at each of its characters."""
    limit(monkeypatch, seconds=5)
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    content["model"]["max_input_chars_per_word"] = 10**9
    content["model"]["vocab"]["##a"] = len(content["model"]["vocab"])
    file.write_text(json.dumps(content))
    assert refusal(folder) == "adapters.no_end"
