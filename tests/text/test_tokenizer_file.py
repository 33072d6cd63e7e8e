"""`tokenizer.json` of any origin: ours is read at once, another only after a trial in a process with limits."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.tiny import text_encoder
from viz_core.checkpoints import FOLDER, TOKENIZER
from viz_core.records import Failure
from viz_core.text import tokenizer_file
from viz_core.text.building import BUILDERS
from viz_core.text.tokenizer import TextEncoder
from viz_core.text.tokenizer_file import read_tokenizer

COMPATIBILITY = Path(__file__).parents[1] / "compatibility"


@pytest.fixture
def file(tmp_path) -> Path:
    text_encoder("imdb").save(tmp_path / TOKENIZER)
    return tmp_path / TOKENIZER


@pytest.fixture
def no_trials(monkeypatch) -> None:
    def fail(*arguments, **settings):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "run", fail)


def change(file: Path, **parts) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **parts}), "utf-8")


def split(regex: str) -> dict:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_a_tokenizer_of_ours_is_read_in_this_process(build, tmp_path, no_trials):
    TextEncoder(build(["a good film 花呗"] * 5, 7)).save(tmp_path / TOKENIZER)
    assert read_tokenizer(tmp_path / TOKENIZER).truncation["max_length"] == 7


SAVED = [*FOLDER.glob("*/*/tokenizer.json"), *COMPATIBILITY.rglob("tokenizer.json")]


@pytest.mark.parametrize("path", SAVED, ids=lambda path: "/".join(path.parts[-4:-1]))
def test_the_server_starts_without_trials_of_the_shipped_models(path, no_trials):
    assert read_tokenizer(path).get_vocab_size() > 50


@pytest.mark.process
def test_a_tokenizer_of_another_kind_is_tried_out_once(file, monkeypatch):
    runs, run = [], subprocess.run
    monkeypatch.setattr(tokenizer_file.subprocess, "run", lambda *a, **k: (runs.append(a), run(*a, **k))[1])
    change(file, pre_tokenizer=split(r"\s+"))
    for _ in range(2):
        assert TextEncoder.load(file).encode("a good film").tokens[1:-1] == ("a", "[UNK]", "good", "[UNK]", "film")
    assert len(runs) == 1


# Tries each division of a repeated letter; goes 90,000 levels deep; is no regular expression.
BOMBS = [r"(a+)+!x", r"(?:a|b|c|\w){90000}", "("]


@pytest.mark.parametrize("regex", BOMBS)
def test_a_regular_expression_that_is_not_known_is_refused_without_a_trial(file, regex, no_trials):
    change(file, pre_tokenizer=split(regex))
    with pytest.raises(ValueError) as error:
        read_tokenizer(file)
    assert regex in str(error.value)


@pytest.mark.process
def test_words_of_any_length_are_refused_if_they_take_too_long(file, monkeypatch):
    """WordPiece tries all pieces of a word at each of its characters."""
    monkeypatch.setattr(tokenizer_file, "_TRIAL_SECONDS", 2)
    words = {token: number for number, token in enumerate([*vocabulary(file), "##a"])}
    model = {"type": "WordPiece", "vocab": {**words, "a": len(words)}, "max_input_chars_per_word": 10**9}
    change(file, model={**model, "unk_token": "[UNK]", "continuing_subword_prefix": "##"}, pre_tokenizer=None)
    with pytest.raises(ValueError, match="2 seconds"):
        read_tokenizer(file)


def test_the_trial_has_a_limit_of_time(file, monkeypatch):
    def run(*arguments, timeout, **settings):
        raise subprocess.TimeoutExpired(arguments[0], timeout)

    monkeypatch.setattr(tokenizer_file.subprocess, "run", run)
    change(file, pre_tokenizer=split(r"\n"))
    with pytest.raises(ValueError, match="10 seconds"):
        read_tokenizer(file)


def vocabulary(file: Path) -> dict:
    return json.loads(file.read_text("utf-8"))["model"]["vocab"]


@pytest.mark.parametrize(
    "parts, reason",
    [
        (dict(truncation=None), "truncat"),
        (dict(truncation={"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}), r"\b4\b"),
        (dict(truncation={"direction": "Up", "max_length": 9, "strategy": "LongestFirst", "stride": 0}), "Up"),
        (dict(model=None), "."),
        (dict(model={"type": "WordLevel", "vocab": {"[UNK]": 2**40}, "unk_token": "[UNK]"}), "."),
        (dict(model={"type": "WordLevel", "vocab": {"[UNK]": 1, "a": 9}, "unk_token": "[UNK]"}), "not 0, 1, 2"),
        (dict(post_processor=None), r"\[CLS\] a \[SEP\]"),
        (dict(added_tokens=[]), "."),
    ],
    ids=["no length", "too short", "direction", "no model", "id 2^40", "gap", "no special tokens", "none added"],
)
@pytest.mark.process
def test_a_tokenizer_that_the_models_cannot_use_is_refused(file, parts, reason):
    change(file, **parts)
    try:
        read = read_tokenizer(file)
    except Exception as error:  # the library raises bare Exceptions
        assert reason == "." or re.search(reason, str(error)), error
    else:
        assert parts == dict(added_tokens=[]) and read.get_vocab_size() == len(vocabulary(file))


def test_padding_in_the_file_is_ignored(file):
    padding = {"strategy": {"Fixed": 10**7}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0}
    before = TextEncoder.load(file).encode("a good film")
    content = json.loads(file.read_text("utf-8")) | {"padding": {**padding, "pad_type_id": 0, "pad_token": "[PAD]"}}
    encoder = TextEncoder(tokenizer_file.Tokenizer.from_str(json.dumps(content)))
    assert encoder.encode("a good film").tokens == before.tokens
    assert len(encoder.ids(["a good film"])[0][0]) == len(before.tokens)


def test_a_panic_of_the_library_is_a_failure(file):
    """The limit of Oniguruma for retries, reached in the middle of a text, is a panic of the library."""
    content = json.loads(file.read_text("utf-8")) | {"pre_tokenizer": split(r"(a+)+!x")}
    encoder = TextEncoder(tokenizer_file.Tokenizer.from_str(json.dumps(content)))
    for call in (lambda: encoder.encode("a" * 40), lambda: encoder.ids(["a" * 40])):
        with pytest.raises(Failure) as failure:
            call()
        assert failure.value.message.key == "text.tokenizer_failed"
