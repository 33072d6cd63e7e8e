"""Archives with hostile contents: a sentence that names the file and the line, in both languages."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.datasets.archives import REVIEWS, pair_files, tar_archive, zip_archive
from viz_core.datasets.afqmc import AFQMC
from viz_core.datasets.corpus import Corpus
from viz_core.datasets.imdb import IMDB
from viz_core.datasets.tatoeba import TATOEBA
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure

PAIR = '{"sentence1": "花呗", "sentence2": "借呗", "label": %s}\n'


def reason(corpus: Corpus) -> str:
    with pytest.raises(Failure) as failure:
        corpus.read("train")
    assert failure.value.message.key == "datasets.unreadable"
    for language in LANGUAGES:
        assert len(Translator(language)(failure.value.message)) < 500
    return failure.value.message.values["reason"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("VIZ_DATA_DIR", str(tmp_path / "hostile"))
    return tmp_path / "hostile"


def afqmc(data, **changes: str) -> None:
    zip_archive(data / AFQMC.archive, {**pair_files(), **{f"{name}.json": text for name, text in changes.items()}})


LINES = [
    (PAIR % ("[" * 200_000 + "]" * 200_000), "nested more than 64 levels deep"),
    (PAIR % "300", "the label is 300, not 0 or 1"),
    (PAIR % "1e400", "the label is inf, not 0 or 1"),
    (PAIR % "-1", "the label is -1"),
    (PAIR % "true", "the label is True"),
    (PAIR % '"same"', "the label is 'same'"),
    (PAIR % "{}", "the label is {}"),
    (PAIR % ('"' + "x" * 10**6 + '"'), "the label is 'xxxxxxxx"),
    (PAIR % ("9" * 5000), "digits"),
    (PAIR % "null", "no label"),
    ('{"sentence1": "花呗"}\n', "no object with a sentence1 and a sentence2"),
    ('{"sentence1": 5, "sentence2": []}\n', "no object with"),
    ('["花呗", "借呗"]\n', "no object with"),
    ('{"sentence1": "\\ud800", "sentence2": "a", "label": "0"}\n', "surrogates"),
    ("{\n", "Expecting"),
]


@pytest.mark.parametrize("line, expected", LINES, ids=[expected for _, expected in LINES])
def test_a_line_of_afqmc_that_is_no_pair_is_named(data, line, expected):
    afqmc(data, train=PAIR % '"0"' + "\n" + line)
    assert reason(AFQMC).startswith("train.json, line 3: ") and expected in reason(AFQMC)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
ROWS = st.fixed_dictionaries({"sentence1": st.text() | JSON, "sentence2": st.text() | JSON}, optional={"label": JSON})


@given(st.lists(ROWS | JSON, min_size=1, max_size=3))
def test_any_json_in_afqmc_is_read_or_named(rows):
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    files = {**{name: text.encode() for name, text in pair_files().items()}, "dev.json": content}
    try:
        frame = AFQMC.parse(iter(files.items()))["test"]
    except ValueError as error:
        assert str(error).startswith("dev.json, line ")
    else:
        assert len(frame) == len(rows) and set(frame.get("label", [0])) <= {0, 1}


def test_a_review_that_is_not_unicode_is_named(data):
    tar_archive(data / IMDB.archive, REVIEWS)
    name = "aclImdb/train/neg/0_2.txt"
    content = {**{path: text.encode() for path, text in REVIEWS.items()}, name: b"bad \xff"}
    with pytest.raises(ValueError, match=f"^{name}: "):
        IMDB.parse(iter(content.items()))


def test_a_name_with_a_number_of_5000_digits_is_no_review(data):
    tar_archive(data / IMDB.archive, {**REVIEWS, f"aclImdb/train/pos/{'9' * 5000}_9.txt": "good"})
    assert "good" not in set(IMDB.read("train")["text"]) and len(IMDB.read("train")) > 0


@pytest.mark.parametrize("line", [b"no tab", b"\0", b"a\t\xff"])
def test_a_line_of_tatoeba_that_is_no_pair_is_named(line):
    content = "Hi.\t你好。\tx\n\n".encode() + line
    with pytest.raises(ValueError, match="^cmn.txt, line 3: "):
        TATOEBA.parse(iter([("cmn.txt", content)]))
