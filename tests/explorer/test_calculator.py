"""The calculator in a browser: typing, pasting, keys, what a cell is made of, the link, and the sheet of paper."""

import pytest
from playwright.sync_api import expect

from tests.pictures import compare
from tests.words import english
from viz_core.rendering.theme import theme

pytestmark = pytest.mark.browser


@pytest.fixture
def calculator(open_calculator):
    return open_calculator().show()


def test_a_number_is_typed_and_everything_follows(calculator):
    assert calculator.numbers("s1") == [["1", "2", "3"], ["0", "1", "1"], ["1", "3", "4"]]
    calculator.input("x", 1, 1).fill("-0.5")
    expect(calculator.cell("q1", 1, 2)).to_have_text("−0.5")
    assert calculator.numbers("s1")[0] == ["0.25", "−1", "−1.5"]
    calculator.input("x", 1, 1).fill("1")
    expect(calculator.cell("q1", 1, 2)).to_have_text("1")
    expect(calculator.cell("a1", 1, 3)).to_have_text("0.58")


def test_what_is_no_number_is_explained_and_the_last_number_stays(calculator):
    box = calculator.input("wq1", 2, 2)
    box.fill("one")
    expect(calculator.page.locator(".problem")).to_have_text(english("calculator.not_a_number", text="one", last="1"))
    expect(box).to_have_attribute("aria-invalid", "true")
    assert calculator.numbers("q1")[1] == ["0", "1"]
    box.press("Escape")
    expect(box).to_have_value("1")
    expect(calculator.page.locator(".problem")).to_be_empty()
    box.fill("")
    expect(calculator.page.locator(".problem")).to_have_text(english("calculator.empty", last="1"))
    box.blur()
    expect(box).to_have_value("1")


PASTE = """(input, text) => {
  const data = new DataTransfer();
  data.setData("text", text);
  input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def test_a_matrix_is_pasted_if_it_fits(calculator):
    calculator.input("x", 1, 1).evaluate(PASTE, "1 2\n3\t4\n[5, 6]")
    expect(calculator.input("x", 3, 2)).to_have_value("6")
    assert calculator.numbers("x") == [["1", "2"], ["3", "4"], ["5", "6"]]
    calculator.input("x", 2, 1).evaluate(PASTE, "1 2 3; 4 5 6; 7 8 9")
    expect(calculator.page.locator(".problem")).to_have_text(
        english("calculator.wrong_size", rows=3, columns=3, matrix="X", freeRows=2, freeColumns=2)
    )
    calculator.input("x", 1, 1).evaluate(PASTE, "1 b")
    expect(calculator.page.locator(".problem")).to_contain_text("“b” is not a number")
    assert calculator.numbers("x") == [["1", "2"], ["3", "4"], ["5", "6"]]


def test_a_cell_marks_its_row_and_its_column_and_writes_the_sum(calculator):
    calculator.cell("s1", 3, 2).hover()
    expect(calculator.page.locator("td.active")).to_have_count(1)
    row, column = {("q1", 3, 1), ("q1", 3, 2)}, {("t1", 1, 2), ("t1", 2, 2)}
    assert calculator.marks("source") == row | column
    assert calculator.trace == ["S, row tea, column love: row tea of Q times column love of KT.", "1 × 1 + 2 × 1 = 3"]
    calculator.page.mouse.move(0, 0)
    calculator.cell("a1", 1, 1).focus()
    expect(calculator.page.locator(".sum")).to_have_text("2.03 ÷ 14.48 ≈ 0.14")
    assert calculator.marks("source") == {("e1", 1, 1), ("u1", 1, 1)}
    assert calculator.marks("active") == {("a1", 1, 1)}


def test_arrows_move_within_a_matrix_and_to_its_neighbours(calculator):
    focus = (
        "() => { const { dataset } = document.activeElement.closest('td'); return Object.values(dataset).join(' '); }"
    )
    calculator.input("x", 1, 1).focus()
    calculator.input("x", 1, 1).select_text()
    where = []
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowUp", "Enter", "ArrowLeft"):
        calculator.page.keyboard.press(key)
        where.append(calculator.page.evaluate(focus))
    assert where == ["x 0 1", "x 1 1", "q1 1 0", "q1 0 0", "wq1 1 0", "q1 0 0", "x 0 1"]
    calculator.page.keyboard.type("1.25")
    expect(calculator.cell("q1", 1, 2)).to_have_text("2.25")
    calculator.page.keyboard.press("ArrowLeft")
    assert calculator.page.evaluate(focus) == "x 0 1", "moves in what was typed"


def test_each_matrix_is_a_single_tab_stop_with_a_name(calculator):
    grids = calculator.page.get_by_role("grid")
    stops = grids.evaluate_all("""(all) => all.map((grid) => [
      grid.getAttribute("aria-label"), grid.querySelectorAll("td[tabindex='0'], td input[tabindex='0']").length])""")
    assert {count for _, count in stops} == {1} and len(stops) == 16
    assert [name for name, _ in stops][:3] == ["Input vectors: X", "Weight matrix: Wq", "Query vectors: Q"]
    expect(calculator.cell("a1", 1, 3)).to_have_attribute("aria-label", "A, row I, column tea: 0.58")
    expect(calculator.cell("a1", 1, 3)).to_have_attribute("aria-describedby", "trace")


def test_sizes_keep_the_numbers_that_both_have(calculator):
    page = calculator.page
    calculator.select("Tokens", "4")
    expect(calculator.cell("x", 4, 1)).to_be_visible()
    assert calculator.numbers("x") == [["1", "0"], ["0", "1"], ["1", "1"], ["0", "0"]]
    calculator.select("Attention", "cross")
    calculator.select("Heads", "2")
    page.get_by_label("output matrix Wo").check()
    expect(calculator.cell("r", 3, 2)).to_have_text("0")
    assert len(calculator.numbers("wo")) == 4 and len(calculator.numbers("s2")) == 3
    page.get_by_role("button", name="Reset").click()
    expect(calculator.cell("r", 1, 1)).to_have_count(0)
    assert calculator.numbers("x") == [["1", "0"], ["0", "1"], ["1", "1"]]


def test_what_is_set_is_reported_and_opened_again(calculator):
    calculator.input("x", 2, 1).fill("-2.5")
    calculator.page.get_by_label("Name of token 2").fill("adore")
    calculator.select("Decimals", "3")
    calculator.page.get_by_role("checkbox", name="scores").uncheck()
    calculator.page.wait_for_function("reports.length && reports.at(-1)[1].shown === 'scores'")
    name, link = calculator.reports[-1]
    assert name == "link" and link == {
        "example": "d2", "calc": "s122330~1_0_-2.5_1_1_1_1_1_0_1_1_0_1_1_2_0_0_1",
        "names": "I adore tea", "decimals": "3", "shown": "scores", "practice": ""}  # fmt: skip
    calculator.show("zh", turns=1, **link)
    expect(calculator.input("x", 2, 1)).to_have_value("−2.5")
    expect(calculator.cell("s1", 1, 2)).to_have_text("−0.5")
    assert calculator.page.get_by_label("小数位数").input_value() == "3"
    assert calculator.page.get_by_label("第 2 个词元的名称").input_value() == "adore"


def test_another_theme_keeps_what_was_typed(calculator):
    calculator.input("x", 1, 1).fill("7")
    calculator.show("en", theme("dark"))
    expect(calculator.input("x", 1, 1)).to_have_value("7")
    calculator.show("en", theme("dark"), turns=1)  # the browser went back: the link is newer
    expect(calculator.input("x", 1, 1)).to_have_value("1")


ALL_BUT_SCORES = "projections scaled masked exponentials weights outputs projected"


def test_in_practice_the_results_are_typed_and_a_right_one_is_green(open_calculator):
    calculator = open_calculator().show(practice="1", shown=ALL_BUT_SCORES)
    page, progress = calculator.page, calculator.page.locator(".progress")
    assert calculator.numbers("s1") == [["", "", ""]] * 3 and calculator.numbers("q1")[2] == ["1", "2"]
    expect(progress).to_have_text(english("calculator.practice_progress", right=0, count=9))
    first, second = calculator.input("s1", 1, 1), calculator.input("s1", 1, 2)
    second.fill("7")
    expect(second).to_have_accessible_name(english("calculator.cell", matrix="S", row="I", column="love", value="7"))
    assert second.get_attribute("aria-invalid") == "false" and calculator.trace[1] == "", "which would be the answer"
    second.press("Enter")
    expect(second).to_have_attribute("aria-invalid", "true")
    second.fill("2")
    expect(second).to_have_attribute("aria-invalid", "false")
    first.fill("1")
    expect(page.locator("td.right")).to_have_count(2)
    assert calculator.marks("right") == {("s1", 1, 1), ("s1", 1, 2)}
    assert calculator.trace[1] == "1 × 1 + 1 × 0 = 1"
    expect(progress).to_have_text(english("calculator.practice_progress", right=2, count=9))
    calculator.input("x", 1, 1).fill("2")  # the first query is now (2, 2), the first key (2, 0)
    expect(page.locator("td.right")).to_have_count(0)
    first.fill("4")
    expect(page.locator("td.right")).to_have_count(1)
    page.get_by_role("button", name=english("calculator.practice")).click()
    expect(progress).to_be_empty()
    assert calculator.numbers("s1")[0] == ["4", "4", "6"]
    page.get_by_role("button", name=english("calculator.practice")).click()
    expect(progress).not_to_be_empty()
    assert calculator.numbers("s1")[0] == ["4", "2", ""]


def test_in_practice_a_click_selects_what_it_replaces_and_no_other_cell_gives_an_answer_away(open_calculator):
    calculator = open_calculator().show(practice="1", shown=ALL_BUT_SCORES)
    page, box = calculator.page, calculator.input("s1", 1, 1)
    box.click()
    page.keyboard.type("7")
    page.keyboard.press("Tab")
    expect(calculator.input("s1", 1, 2)).to_be_focused()
    calculator.cell("z1", 1, 1).hover()
    expect(page.locator("td.source")).to_have_count(1)
    assert calculator.trace[1] == "", "which would say the score"
    box.click()
    page.keyboard.type("1")
    expect(box).to_have_value("1")
    calculator.cell("z1", 1, 1).hover()
    expect(page.locator(".trace .sum")).to_have_text("1 ÷ √2 ≈ 1 ÷ 1.41 ≈ 0.71")
    calculator.input("x", 2, 1).click()
    page.keyboard.type("2")
    expect(calculator.input("x", 2, 1)).to_have_value("2")


def test_practice_that_is_solved_is_reported_and_opens_empty_again(open_calculator):
    calculator = open_calculator().show(practice="1", shown=ALL_BUT_SCORES)
    for row, line in enumerate([[1, 2, 3], [0, 1, 1], [1, 3, 4]], 1):
        for column, value in enumerate(line, 1):
            calculator.input("s1", row, column).fill(str(value))
    calculator.page.wait_for_function("reports.some(([, link]) => link.practice === 'done')")
    expect(calculator.page.locator(".progress")).to_have_text(english("calculator.practice_done", count=9))
    again = open_calculator().show(practice="done", shown=ALL_BUT_SCORES)
    assert again.numbers("s1") == [["", "", ""]] * 3


def test_another_theme_keeps_the_answers_and_another_example_does_not(open_calculator):
    calculator = open_calculator().show(practice="1", shown=ALL_BUT_SCORES)
    calculator.input("s1", 1, 1).fill("1")
    expect(calculator.page.locator("td.right")).to_have_count(1)
    calculator.show(colours=theme("dark"), practice="1", shown=ALL_BUT_SCORES)
    expect(calculator.page.locator("td.right")).to_have_count(1)
    assert calculator.numbers("s1")[0] == ["1", "", ""]
    calculator.select(english("calculator.example"), "d3")
    expect(calculator.page.locator("td.right")).to_have_count(0)
    assert calculator.numbers("s1") == [["", "", ""]] * 3


@pytest.mark.parametrize("calc", ["s122330~1_2", "nonsense", "s922330~1", "s122330~" + "_".join(["1000"] * 18)])
def test_a_damaged_link_shows_the_example_and_says_so(open_calculator, calc):
    calculator = open_calculator().show(example="causal", calc=calc)
    assert calculator.problem == english("calculator.link_unreadable")
    assert calculator.numbers("x") == [["1", "0"], ["0", "1"], ["1", "1"], ["2", "0"]]


@pytest.mark.parametrize("example", ["constructor", "__proto__", "d9"])
def test_an_unknown_example_is_the_first(open_calculator, example):
    """Also the names that every object of JavaScript has."""
    calculator = open_calculator().show(example=example)
    assert calculator.numbers("x") == [["1", "0"], ["0", "1"], ["1", "1"]] and calculator.problem == ""


def test_the_document_that_is_printed_is_the_sheet(open_calculator):
    calculator = open_calculator()
    calculator.page.add_init_script("window.print = () => top.printed.push(document.title)")
    calculator.page.reload()
    calculator.page.wait_for_function("Boolean(globalThis.mount)")
    calculator.show("en").page.evaluate("window.printed = []")
    for name in ("Print exercise", "Print solution"):
        calculator.page.get_by_role("button", name=name).click()
    calculator.page.wait_for_function("printed.length === 2")
    assert calculator.page.evaluate("printed") == ["Attention by hand", "Attention by hand: solution"]


def sheet(calculator, name: str) -> str:
    with calculator.page.expect_download() as download:
        calculator.page.get_by_role("button", name=name).click()
    return download.value.path().read_text(encoding="utf-8")


def test_the_sheet_has_blanks_and_the_solution_has_them_filled(open_calculator, visit):
    calculator = open_calculator().show(example="causal", names="<b>x</b> upon a time")
    calculator.page.get_by_label("queries, keys, values").uncheck()
    exercise, solution = sheet(calculator, "Save exercise"), sheet(calculator, "Save solution")
    assert "<script" not in exercise and "<b>x" not in exercise and "&lt;b&gt;x" in exercise
    texts = "(all) => all.map((cell) => cell.textContent)"

    def numbers(page, matrix: str) -> list[str]:
        return page.locator(f'td[data-block="{matrix}"]').evaluate_all(texts)

    page = visit(exercise)
    assert numbers(page, "q1")[:4] == ["1", "0", "1", "1"], "is not to be computed"
    assert set(numbers(page, "s1")) == set(numbers(page, "a1")) == set(numbers(page, "o1")) == {""}
    assert page.locator(".blank").count() == 7
    page = visit(solution)
    assert numbers(page, "m1")[:4] == ["0", "−∞", "−∞", "−∞"] and numbers(page, "a1")[:4] == ["1", "0", "0", "0"]
    assert page.locator(".solved").count() == 7 and page.get_by_text("Name").count() == 0


WIDTHS = """(signs) => [...signs].map((sign) => {
  const span = document.createElement("span");
  span.textContent = sign;
  document.body.append(span);
  return span.getBoundingClientRect().width / parseFloat(getComputedStyle(span).fontSize);
})"""


@pytest.mark.parametrize("language, name", [("en", "Save exercise"), ("zh", "保存练习")])
def test_signs_on_the_sheet_are_not_those_of_a_chinese_font(open_calculator, visit, language, name):
    """Its √ is as wide as a character, and has a bar that ends before the letter; so are its × and ÷."""
    page = visit(sheet(open_calculator().show(language), name))
    page.emulate_media(media="print")
    assert max(page.evaluate(WIDTHS, "×÷√∞≈")) < 0.9, "of the size of the font"


@pytest.mark.parametrize(
    "example, language, mode", [("d2", "en", "light"), pytest.param("heads", "zh", "dark", marks=pytest.mark.slow)]
)
def test_pictures(open_calculator, example, language, mode):
    colours = theme(mode)
    calculator = open_calculator(colours.background).show(language, colours, example=example)
    calculator.cell("o1", 2, 1).hover()
    expect(calculator.page.locator("td.active")).to_have_count(1)
    compare(calculator.page.screenshot(full_page=True), f"calculator_{example}_{language}_{mode}")


def test_picture_of_practice(open_calculator):
    calculator = open_calculator().show(practice="1", shown=ALL_BUT_SCORES)
    for column, typed in enumerate(["1", "9", "3"], 1):
        calculator.input("s1", 1, column).fill(typed)
    calculator.input("s1", 2, 1).focus()
    expect(calculator.page.locator("td.right")).to_have_count(2)
    compare(calculator.page.screenshot(full_page=True), "calculator_practice_en_light")


@pytest.mark.slow
@pytest.mark.parametrize("name, example, language", [("Save exercise", "d3", "en"), ("保存参考解答", "cross", "zh")])
def test_pictures_of_the_sheet(open_calculator, visit, name, example, language):
    page = visit(
        sheet(open_calculator().show(language, example=example), name), viewport={"width": 794, "height": 1123}
    )
    compare(page.screenshot(full_page=True), f"calculator_sheet_{example}_{language}")


@pytest.mark.slow
def test_the_calculator_on_a_telephone(open_calculator):
    calculator = open_calculator(viewport={"width": 390, "height": 844}).show("zh", example="d4")
    assert calculator.page.evaluate("document.documentElement.scrollWidth") <= 390
    compare(calculator.page.screenshot(full_page=True), "calculator_telephone")
