"""The evaluation page in a real browser: predictions for a file, and rows that are opened and compared."""

import csv
import io
import re

import pytest
from playwright.sync_api import Page, expect

from tests.words import chinese, english, opening

ROWS = [("花呗怎么还款", "花呗如何还钱", 1), ("<b>花呗</b>", "借呗怎么还款", 0), ("还款日能改吗", "", 1)] + [
    (f"花呗额度{number}", "借呗额度", 0) for number in range(40)
]


def open_evaluation(page: Page, address: str, **link: str) -> None:
    page.goto(f"{address}/evaluation?lang=en&" + "&".join(f"{name}={value}" for name, value in link.items()))
    page.wait_for_selector("h1")


@pytest.mark.slow
def test_predictions_for_a_file_can_be_downloaded_and_a_row_opened(page, address):
    text = io.StringIO()
    csv.writer(text).writerows([("sentence1", "sentence2", "label"), *ROWS])
    open_evaluation(page, address, task="afqmc", part="file")
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": text.getvalue().encode("gb18030")}
    )
    page.get_by_role("button", name=english("evaluation.file_predict")).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=english("evaluation.file_download", count=42)).click(timeout=120_000)
    predictions = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8-sig"), newline="")))
    assert [row["sentence1"] for row in predictions] == [row[0] for row in ROWS if row[1]]
    assert {row["answer"] for row in predictions} <= {"different", "same"}
    expect(page.get_by_text(english("analysis.csv_empty", file="mine.csv", row=4, column="sentence2"))).to_be_visible()
    expect(page.get_by_text(english("evaluation.metric_labelled"))).to_be_visible()
    assert page.locator("tr[data-row] b").count() == 0  # typed markup stays text
    page.locator("tr[data-row='1']").click()
    page.wait_for_url(re.compile("matching"))
    page.wait_for_selector(".explorer[data-drawn]")
    expect(page.get_by_role("textbox", name=english("afqmc.box_a"))).to_have_value("<b>花呗</b>")
    expect(page.get_by_role("textbox", name=english("afqmc.box_b"))).to_have_value("借呗怎么还款")


def test_a_row_of_the_sample_can_be_compared(page, address):
    open_evaluation(page, address, task="imdb", part="samples", seed="3")
    typed = page.locator("tr[data-row='2'] .typed").inner_text()
    page.locator("tr[data-row='2']").get_by_role("button", name=english("rendering.rows_compare")).click()
    before = page.get_by_role("textbox", name=english("imdb.was_text"), exact=True)
    expect(before).to_have_value(re.compile(re.escape(typed[:40])))
    after = page.get_by_role("textbox", name=english("imdb.now_text"))
    expect(after).to_have_value(before.input_value())
    assert page.locator(".am-changes mark").count() == 0
    after.fill("not " + before.input_value())
    after.press("ControlOrMeta+Enter")
    expect(page.locator(".am-changes .after mark").first).to_have_text(re.compile("not"))
    assert "part=compare" in page.url
    page.get_by_role("button", name=english("evaluation.compare_attention")).click()
    page.wait_for_url(re.compile("sentiment"))
    comparison = page.get_by_role("region", name=english("explorer.comparison"))
    expect(comparison).to_contain_text(english("explorer.reference"))
    expect(comparison).to_contain_text(english("explorer.comparison_note_side"))
    page.get_by_role("button", name=english("explorer.views_all_help")).click()
    expect(page.locator(".explorer .text .body .mark-in")).to_have_text(["not"])


def test_the_box_for_files_is_read_in_the_language_of_the_page_alone(page, address):
    page.goto(f"{address}/evaluation?lang=zh&part=file")
    expect(page.get_by_role("button", name=chinese("evaluation.file_choose"), exact=True)).to_be_visible()
    heard = page.get_by_test_id("stFileUploader").aria_snapshot()
    assert (
        chinese("evaluation.file_limit", megabytes=120) in heard and "Upload" not in heard and "per file" not in heard
    )


@pytest.mark.parametrize(
    ("task", "texts"),
    [
        ("imdb", ".textpoint, .xtick, .ytick"),
        pytest.param("afqmc", ".textpoint, .xtick, .ytick", marks=pytest.mark.slow),
        ("thucnews", ".textpoint"),
    ],
)
def test_confusion_matrices_fit_on_a_telephone(page, address, task, texts):
    """The names of ten classes are turned: they are beside each other, but the boxes around them are not."""
    page.set_viewport_size({"width": 390, "height": 900})
    open_evaluation(page, address, task=task)
    view = page.locator(".st-key-view_confusion_test")
    expect(view.locator(".textpoint").last).to_be_attached()
    page.wait_for_function("(view) => view.scrollWidth <= view.clientWidth", arg=view.element_handle())
    page.wait_for_function(_SEPARATE, arg={"view": view.element_handle(), "texts": texts})
    menu = page.get_by_role("button", name=f"{english('pages.download')} {english('rendering.confusion_test')}")
    assert menu.bounding_box()["width"] < 150, "screen readers alone hear which one"


def test_a_table_that_was_swiped_begins_at_its_left_for_another_task(page, address):
    page.set_viewport_size({"width": 390, "height": 900})
    open_evaluation(page, address, task="imdb")
    expect(page.get_by_text(english("evaluation.metric_f1", label=english("rendering.label_positive")))).to_be_visible()
    assert page.evaluate(_SWIPE) > 50
    page.get_by_role("radio", name=english("afqmc.page"), exact=True).click()
    expect(page.get_by_text(english("evaluation.metric_f1", label=english("rendering.label_same")))).to_be_visible()
    assert page.evaluate(_SWIPED) == 0


# Swipes the widest table, and how far it is swiped.
_SWIPED = """() => {
  const boxes = [...document.querySelectorAll("table")].map((table) => table.parentElement);
  return Math.max(...boxes.map((box) => box.scrollLeft));
}"""
_SWIPE = """() => {
  const boxes = [...document.querySelectorAll("table")].map((table) => table.parentElement);
  for (const box of boxes) box.scrollLeft = 100;
  return Math.max(...boxes.map((box) => box.scrollLeft));
}"""

# Whether all texts of this kind are in the view of a matrix, beside each other.
_SEPARATE = """({ view, texts }) => {
  const edge = view.getBoundingClientRect(), boxes = [...view.querySelectorAll(texts)].map(
    (text) => text.getBoundingClientRect()).filter((box) => box.width);
  return boxes.every((box) => box.left >= edge.left && box.right <= edge.right) && boxes.every((a, index) => (
    boxes.slice(index + 1).every((b) => a.right <= b.left + 1 || b.right <= a.left + 1
      || a.bottom <= b.top + 1 || b.bottom <= a.top + 1)));
}"""


@pytest.mark.parametrize(
    ("path", "box", "cut"),
    [
        pytest.param(
            "evaluation?lang=en&task=imdb&part=compare",
            "imdb.now_text",
            english("text.box_full", limit=20_000),
            marks=pytest.mark.slow,
        ),
        ("sentiment?lang=en", "imdb.box_text", english("instrument.text_cut", count=1_000_000, limit=20_000)),
    ],
    ids=["box of Streamlit", "instrument"],
)
def test_a_million_characters_that_are_pasted_are_cut_with_a_sentence(page, address, path, box, cut):
    page.goto(f"{address}/{path}")
    textbox = page.get_by_role("textbox", name=english(box))
    textbox.fill("")
    textbox.click()
    page.keyboard.insert_text("It is good" * 100_000)
    textbox.press("ControlOrMeta+Enter")
    expect(page.get_by_text(cut)).to_be_visible()
    assert len(textbox.input_value()) == 20_000 and page.get_by_text(opening("pages.failed")).count() == 0
