"""The figures of the shipped models in the documents are those of their metrics.json and of the ledger."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from viz_core import checkpoints
from viz_core.checkpoints import FOLDER
from viz_core.commands.comparing import BEGIN, END, compare
from viz_core.commands.parser import build_parser
from viz_core.evidence import word_order
from viz_core.evidence.ledger import read_ledger, readings_of
from viz_core.evidence.results import read_result
from viz_core.language import Translator
from viz_core.records import Figures
from viz_core.tasks import CLASSIFICATION, TRANSLATION, all_tasks

PROJECT = Path(__file__).parents[1]
INFOS = {  # the baselines are in the comparison, which a command writes
    f"{info.task}/{info.name}": info
    for info in checkpoints.list_checkpoints(FOLDER, all_tasks(CLASSIFICATION))[0]
    if info.settings.kind == "encoder"
}
TRANSLATIONS = {
    f"{info.task}/{info.name}": info for info in checkpoints.list_checkpoints(FOLDER, all_tasks(TRANSLATION))[0]
}
# A figure in a sentence or a cell: "90.8%" and "accuracy 67.3%" are accuracies.
FIGURE = re.compile(r"(?:(?P<name>AUC|MCC|ECE|accuracy) )?(?P<value>\d+\.\d+)(?P<percent>%?)")


def rows(document: str, heading: str) -> Iterator[list[str]]:
    """The cells of each row of a document's table, given the start of its heading row."""
    lines = iter((PROJECT / document).read_text(encoding="utf-8").splitlines())
    assert any(line.startswith(heading) for line in lines), heading
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def is_rounded(text: str, value: float) -> bool:
    """Whether a number in a text, such as 0.72 or 67.3%, is a rounded value."""
    number = text.removesuffix("%")
    digits = len(number.partition(".")[2])
    return abs(float(number) - value * (100 if text.endswith("%") else 1)) <= 0.5 * 10**-digits + 1e-9


def assert_stated(cell: str, figures: Figures) -> None:
    stated = list(FIGURE.finditer(cell))
    assert stated, cell
    for part in stated:
        value = getattr(figures, (part["name"] or "accuracy").lower())
        assert is_rounded(part["value"] + part["percent"], value), (cell, part[0], value)


@pytest.mark.parametrize("document, heading", [("README.md", "| model | what"), ("README.zh.md", "| 模型 | 做什么")])
def test_the_table_of_the_readme_has_the_figures_of_the_test(document, heading):
    for name, *_, figures in rows(document, heading):
        name = name.strip("`")
        stated = re.findall(r"\d+\.\d+%?", figures)
        if name in TRANSLATIONS:
            expected = [TRANSLATIONS[name].metrics.numbers("test")["bleu"]]
        else:
            test = INFOS[name].metrics.test
            expected = [test.accuracy, test.majority_accuracy, test.auc][: len(stated)]
        assert len(stated) == len(expected) and all(map(is_rounded, stated, expected)), (name, figures)


def test_the_rows_of_translations_have_the_figures_of_the_test():
    """A row `task/name` with the number of test pairs, then BLEU and chrF of greedy translations, of a beam search and
    of the retrieval baseline."""
    document = "docs/models.md"
    names = ("bleu", "chrf", "beam_bleu", "beam_chrf", "retrieval_bleu", "retrieval_chrf")
    lines = (PROJECT / document).read_text(encoding="utf-8").splitlines()
    for name, info in TRANSLATIONS.items():
        for line in lines:
            if not line.startswith(f"| `{name}` |"):
                continue
            count, *values = [cell.strip() for cell in line.strip("|").split("|")][-7:]
            numbers = info.metrics.numbers("test")
            assert count == f"{numbers['n']:,}"
            for figure, value in zip(names, values, strict=True):
                assert is_rounded(value, numbers[figure]), (document, figure, value)


def test_the_table_of_the_models_has_the_figures_of_both_splits():
    table = {cells[0].strip("`"): cells for cells in rows("docs/models.md", "| model | purpose")}
    assert set(table) == set(INFOS)
    for name, (_, _, validation, test, _) in table.items():
        assert_stated(validation, INFOS[name].metrics.validation)
        assert_stated(test, INFOS[name].metrics.test)


def test_the_comparison_of_depths_has_the_figures_of_both_splits():
    models = {info.settings.config.layers: info for name, info in INFOS.items() if name.startswith("afqmc/small")}
    table = list(rows("docs/experiments.md", "| layers | parameters"))
    assert [int(cells[0]) for cells in table] == sorted(models) == [2, 4, 6]
    for layers, _, auc, mcc, *test in table:
        metrics = models[int(layers)].metrics
        assert_stated(f"AUC {auc}, MCC {mcc}", metrics.validation)
        assert_stated(f"AUC {test[0]}, MCC {test[1]}, accuracy {test[2]}", metrics.test)


def test_the_effect_of_repeated_texts_is_that_of_the_ledger():
    table = {cells[0].strip("`"): cells[1:] for cells in rows("docs/data.md", "| model | rows")}
    measured = {name for name, info in INFOS.items() if info.task != "thucnews"}  # 8 titles of 10,000
    assert set(table) == measured
    for name, (count, accuracy, auc) in table.items():
        *_, unseen = (reading for reading in readings_of(*name.split("/")) if reading.rows == "unseen")
        test = INFOS[name].metrics.test
        assert count == f"{unseen.figures.n:,} of {test.n:,}"
        for cell, figure in ((accuracy, "accuracy"), (auc, "auc")):
            without, _, all_rows = cell.partition(" instead of ")
            assert is_rounded(without, getattr(unseen.figures, figure)), (name, cell)
            assert is_rounded(all_rows, getattr(test, figure)), (name, cell)


def test_the_effect_of_unlabelled_texts_is_beside_the_figures_of_all_validation_rows():
    table = {cells[0].strip("`"): cells[1:] for cells in rows("docs/data.md", "| model, on validation | rows")}
    assert set(table) == {name for name, info in INFOS.items() if info.settings.kind == "encoder"} - {
        name for name in INFOS if name.startswith("thucnews") or name in ("afqmc/collapsed", "imdb/pretrained")
    }, "the models that read unlabelled texts"
    for name, (count, accuracy, auc) in table.items():
        validation, left_out = INFOS[name].metrics.validation, 37 if name.startswith("imdb") else 49
        assert count == f"{validation.n - left_out:,} of {validation.n:,}"
        for cell, figure in ((accuracy, "accuracy"), (auc, "auc")):
            assert is_rounded(cell.partition(" instead of ")[2], getattr(validation, figure)), (name, cell)


def test_the_number_of_readings_is_that_of_the_ledger():
    readings = [reading for reading in read_ledger() if f"{reading.task}/{reading.model}" in INFOS]
    assert sum(reading.source == "history" for reading in readings) == 11
    others = [reading for reading in readings if reading.source != "history" and reading.task != "thucnews"]
    assert [reading.model for reading in others if reading.rows == "all"] == [
        "minilm",
        "minilm",
        "small-distilled",
        "wide-distilled",
        "small-distilled",
        "pretrained",
    ]
    assert sum(reading.rows == "unseen" for reading in others) == 11 == len(others) - 6, (
        "another reading of a shipped model: say so in these documents"
    )
    news = [reading for reading in readings if reading.task == "thucnews"]
    assert len(news) == len({reading.model for reading in news}), "each model of news was read once"


def test_the_comparison_of_all_models_is_what_the_command_writes(monkeypatch):
    """If it is not: make comparison"""
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(FOLDER))
    args = build_parser().parse_args(["compare"])
    tables = compare(args, Translator("en")).text
    assert f"{BEGIN}\n\n{tables}\n\n{END}" in (PROJECT / "docs/models.md").read_text(encoding="utf-8")
    assert {entry["kind"] for entry in compare(args, Translator("zh")).entries} == {
        "encoder",
        "recurrent",
        "bag",
        "tfidf",
    }


def test_the_table_of_shuffled_words_has_the_figures_of_the_evidence():
    """Accuracies and changes in points with their intervals, to a tenth."""
    table = {cells[0].strip("`"): cells[1:] for cells in rows("docs/experiments.md", "| model without order")}
    assert set(table) >= {"imdb/small", "afqmc/small", "thucnews/small"}
    for name, (count, *cells) in table.items():
        result = word_order.read(read_result(INFOS[name].path, word_order.NAME))
        assert count == f"{result.n:,}"
        for index, cell in enumerate(cells):
            accuracy, *changes = (float(part) for part in re.findall(r"-?\d+\.\d", cell.replace("−", "-")))
            expected = [result.changes[index], *result.change_intervals[index]] if index else []
            assert is_rounded(f"{accuracy}%", result.accuracies[index]), (name, cell)
            assert changes == pytest.approx([100 * value for value in expected], abs=0.0501), (name, cell)
