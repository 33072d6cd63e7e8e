"""Finding heads by what they attend to, in a standalone file; numbers are compared with the analysis."""

import re

import numpy as np
import pytest

from tests.explorer import examples
from tests.explorer.explorer_page import ExplorerPage
from tests.sampling import few
from tests.words import says
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.explorer.packing import corpus_means
from viz_core.explorer.standalone import standalone_explorer
from viz_core.language import Translator
from viz_core.records import HeadProfile
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser

PAIR = examples.pair(layers=2, heads=4)  # [CLS] 花呗怎么还款 [SEP] 花呗如何还钱 [SEP]
NUMBERS = head_statistics(PAIR)
TALL = {"viewport": {"width": 1280, "height": 1900}}


@pytest.fixture
def explorer(open_explorer):
    return open_explorer(PAIR, {"head": "2.1"}, **TALL)


def find(explorer: ExplorerPage, criterion: str) -> list[tuple[int, int]]:
    """Selects a criterion; the heads in the order that they then stand in, from 0."""
    explorer.view("overview").get_by_label("Find heads that").select_option(criterion)
    explorer.frame()
    return [
        tuple(int(number) - 1 for number in name.split("."))
        for name in explorer.view("overview").locator(".head .caption b").all_inner_texts()
    ]


def ranking(values: np.ndarray) -> list[tuple[int, int]]:
    return [divmod(int(head), values.shape[1]) for head in np.argsort(-values.ravel(), kind="stable")]


def numbers(explorer: ExplorerPage) -> list[str]:
    """The number of each head, in order."""
    return [re.split(r"\s", text)[1] for text in explorer.view("overview").locator(".head .caption").all_inner_texts()]


def uniform_head(explorer: ExplorerPage) -> tuple[int, str]:
    """How many heads stand before the uniform one, and its caption."""
    grid = explorer.view("overview").locator(".heads > *")
    classes = grid.evaluate_all("(elements) => elements.map((element) => element.className)")
    place = classes.index("uniform")
    return place, grid.nth(place).inner_text()


@pytest.mark.parametrize("criterion", few(["same", "entropy", "previous", "next", "self", "cls", "sep", "distance"], 2))
def test_heads_stand_in_the_order_of_what_they_attend_to(explorer, criterion):
    values = getattr(NUMBERS, criterion)
    assert find(explorer, criterion) == ranking(values)
    shown = [float(number.rstrip("%")) / (100 if "%" in number else 1) for number in numbers(explorer)]
    np.testing.assert_allclose(shown, np.sort(values.ravel())[::-1], atol=0.0051 if criterion != "distance" else 0.051)


def test_a_uniform_head_stands_where_it_ranks(explorer):
    """15 tokens, of which 14 have one before them: a fifteenth of the weight on it; 2 of 15 keys are [SEP]."""
    for criterion, share in (("previous", 1 / 15), ("sep", 2 / 15), ("entropy", 1)):
        find(explorer, criterion)
        before, caption = uniform_head(explorer)
        assert before == (getattr(NUMBERS, criterion) > share).sum(), criterion
        assert caption == {"previous": "uniform 6.7%", "sep": "uniform 13%", "entropy": "uniform 1.00"}[criterion]
    explorer.click_at(explorer.cell(1, 5))
    find(explorer, "selected")
    assert uniform_head(explorer) == ((NUMBERS.received[..., 5] > 1 / 15).sum(), "uniform 6.7%")
    assert says(explorer.view("overview").locator(".note").inner_text(), "explorer.overview_note_uniform")
    assert find(explorer, "position") == [] and not explorer.view("overview").locator(".uniform").count()


def test_heads_that_attend_to_the_selected_token(explorer):
    """In self-attention any selected token; of a cell its key; of a word all its tokens."""
    assert (
        find(explorer, "selected") == [] and "Click a token" in explorer.view("overview").locator(".note").inner_text()
    )
    explorer.click(explorer.view("text").locator(".token").nth(2))
    assert find(explorer, "selected") == ranking(NUMBERS.received[..., 2])
    explorer.click_at(explorer.cell(1, 5))
    assert find(explorer, "selected") == ranking(NUMBERS.received[..., 5])
    explorer.open_settings()
    explorer.click(explorer.page.get_by_role("button", name="word", exact=True))
    word = np.flatnonzero(PAIR.encoding.words == PAIR.encoding.words[5])
    assert len(word) == 2 and find(explorer, "selected") == ranking(NUMBERS.received[..., word].sum(-1))
    explorer.press("Escape")
    assert find(explorer, "selected") == [] and explorer.view("overview").locator(".margin").count() == 7


@pytest.mark.parametrize(
    ("heads", "names"), [(2, ["mean", "head 1", "head 2", "layer 1"]), (8, ["mean", *"12345678", "1"])]
)
def test_rows_and_columns_are_named_where_there_is_room(open_explorer, heads, names):
    explorer = open_explorer(examples.pair(layers=1, heads=heads), {}, **TALL)
    assert explorer.view("overview").locator(".margin").all_inner_texts() == names


def test_a_click_opens_the_head(explorer):
    layer, head = find(explorer, "same")[1]
    explorer.click(explorer.view("overview").locator(".head").nth(1))
    assert explorer.title == f"Layer {layer + 1}, head {head + 1}"


def test_names_that_people_give_are_text_in_the_title_in_tooltips_and_in_the_list(visit):
    given = "<b>aligner</b>"
    names = {"self 2.1": given, "cross 1.1": "of another attention"}
    document = standalone_explorer(PAIR, NUMBERS, Translator("en"), theme("light"), {"head": "2.1"}, names=names)
    explorer = ExplorerPage(visit(document, **TALL), PAIR)
    assert explorer.title == f"Layer 2, head 1 · {given}"
    titles = explorer.view("overview").locator(".head").evaluate_all("(all) => all.map((head) => head.title)")
    assert [title.startswith(f"{given} · ") for title in titles] == [False] * 4 + [True] + [False] * 3
    place = find(explorer, "previous").index((1, 0))
    assert explorer.view("overview").locator(".head").nth(place).locator(".given").inner_text() == given
    assert explorer.view("overview").locator(".given").count() == 1


def test_beside_the_input_stands_the_corpus(visit):
    means = {name: np.random.default_rng(0).random((2, 4)) for name in ("previous", "same", "entropy")}
    profile = HeadProfile(250, {**means, "same": np.full((2, 4), np.nan)}, 0, np.eye(8), {"previous": 0.04321})
    corpus = corpus_means(profile)
    document = standalone_explorer(PAIR, NUMBERS, Translator("en"), theme("light"), corpus=corpus)
    explorer = ExplorerPage(visit(document, **TALL), PAIR)
    order = find(explorer, "previous")
    below = explorer.view("overview").locator(".head .corpus").all_inner_texts()
    assert uniform_head(explorer)[1].split() == ["uniform", "6.7%", "corpus", "4.3%"]
    assert [float(text.removeprefix("corpus ").rstrip("%")) / 100 for text in below] == pytest.approx(
        [means["previous"][head] for head in order], abs=0.0051
    )
    assert says(explorer.view("overview").locator(".note").inner_text(), "explorer.overview_note_corpus", rows=250)
    assert find(explorer, "same") and not explorer.view("overview").locator(".corpus").count(), "not measured"
    assert not says(explorer.view("overview").locator(".note").inner_text(), "explorer.overview_note_corpus")


def test_what_one_text_and_unlike_texts_do_not_have_is_said(open_explorer):
    single = open_explorer(examples.review())
    option = single.view("overview").locator("option[value=same]")
    assert option.is_disabled() and option.inner_text().endswith("(needs two texts)")
    unlike = open_explorer(examples.explanation(examples.encode_by_spaces("ab cd", "ef gh")))
    assert find(unlike, "same") == []
    assert says(unlike.view("overview").locator(".note").inner_text(), "explorer.overview_note_same_none")


def test_heads_that_attend_to_punctuation_where_there_is_any(explorer, open_explorer):
    option = "option[value=punctuation]"
    assert explorer.view("overview").locator(option).is_hidden(), "the pair has none"
    text = examples.explanation(examples.encode_by_spaces("ab , cd ."))
    marked = open_explorer(text, **TALL)
    values = head_statistics(text).punctuation
    assert find(marked, "punctuation") == ranking(values)
    np.testing.assert_allclose(values, text.attention[..., [2, 4]].sum(-1).mean(-1), rtol=1e-5)
