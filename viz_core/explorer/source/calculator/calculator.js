// Attention to compute with paper and pencil: given numbers are edited, everything else follows at once.

import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createControls, createSheetControls } from "./controls.js";
import { listenToEdits } from "./edit.js";
import { resize, withNumber } from "./exercise.js";
import { listenToArrows, focusable } from "./grid_keys.js";
import { createSections } from "./page.js";
import { printDocument, saveDocument, sheet } from "./sheet.js";
import { exampleExercise, fromLink, toLink } from "./state.js";
import { compute } from "./steps.js";
import { createTrace } from "./trace.js";

const REST = 600; // ms without a change before the page hears of it

/**
 * Opens the calculator in `root`. input: `{ theme, language, catalogue, link }`. report(fields): tells the page at rest
 * what is set. earlier: what `close()` of an earlier calculator returned, to go on from.
 */
export function openCalculator(root, input, report = (_link) => {}, earlier = null) {
  const say = translator(input.catalogue);
  const store = createStore({ active: null, ...(earlier ?? fromLink(input.link, say)) }, draw);
  const set = (patch) => store.set(patch), exercise = () => store.get().exercise;
  const start = (example) => set({ example, exercise: exampleExercise(example, say), problem: null });
  const controls = createControls(say, {
    start, reset: () => start(store.get().example), setDecimals: (decimals) => set({ decimals }),
    resize: (sizes) => set({ exercise: resize(exercise(), sizes), problem: null }) });
  const document = (solution) =>
    sheet(calculate(givenOf(store.get())), say, input.language, new Set(store.get().blanks), solution);
  const paper = createSheetControls(say, {
    blank: (step, on) => set({ blanks: on ? [...store.get().blanks, step] : store.get().blanks.filter((name) => name !== step) }),
    print: (solution) => printDocument(document(solution)),
    save: (solution) => saveDocument(document(solution), `attention-${solution ? "solution" : "exercise"}.html`) });
  const trace = createTrace(say, input.catalogue), problem = el("p", { class: "problem", role: "status" });
  const content = el("div", { class: "sections" });
  const calculate = remember(({ exercise, decimals }) => ({ exercise, blocks: compute(exercise), decimals }));
  const tell = remember(report, toLink(store.get(), say));
  let tables = [], timer = 0;
  const cells = () => tables.flatMap((table) => table.cells.flat());

  applyTheme(root, input.theme);
  root.lang = input.language;
  root.replaceChildren(controls.element, el("div", { class: "head" }, trace.element, problem), content, paper.element);
  listenToEdits(content, {
    exercise,
    setNumbers: (id, row, column, rows) => set({ exercise: rows.reduce((changed, line, i) => line.reduce(
      (again, value, j) => withNumber(again, id, row + i, column + j, value), changed), exercise()) }),
    setName: (axis, index, name) => {
      const list = axis === "targets" ? "targetNames" : "names";
      set({ exercise: { ...exercise(), [list]: exercise()[list].map((other, i) => (i === index ? name : other)) } });
    },
    showProblem: (value) => set({ problem: value }),
  });
  listenToArrows(content, cells);
  for (const kind of ["pointerover", "focusin"]) content.addEventListener(kind, select);
  root.addEventListener("keydown", (event) => event.stopPropagation()); // Streamlit has shortcuts of its own

  function select(event) {
    const cell = event.target.closest?.("td[data-block]");
    if (!cell) return;
    if (event.type === "focusin") moveTabStop(cell);
    set({ active: [cell.dataset.block, Number(cell.dataset.row), Number(cell.dataset.column)] });
  }

  /** Creates the tables. _sizes: of the exercise, and its kind. */
  const create = remember((_sizes) => {
    const sections = createSections(calculate(givenOf(store.get())), say, { editable: true, interactive: true });
    tables = sections.tables;
    content.replaceChildren(...sections.elements);
    for (const table of tables) {
      focusable(table.cells[0][0]).tabIndex = 0;
      for (const cell of table.cells.flat()) focusable(cell).setAttribute("aria-describedby", "trace");
    }
  });

  function draw(state) {
    const calculation = calculate(givenOf(state)), { numbers, names, targetNames, ...sizes } = state.exercise;
    create(sizes);
    for (const table of tables) table.show(calculation);
    controls.draw(state);
    paper.draw(state);
    trace.draw(state.active, calculation, tables);
    problem.textContent = state.problem ? say(state.problem.key, state.problem.values) : "";
    clearTimeout(timer);
    timer = setTimeout(rest, REST);
    root.dataset.drawn = "true";
  }

  /** Each matrix is a single tab stop: the cell that had the focus last. */
  function moveTabStop(cell) {
    const table = tables.find((other) => other.cells.some((line) => line.includes(cell)));
    for (const other of table.cells.flat()) focusable(other).tabIndex = other === cell ? 0 : -1;
  }

  function rest() {
    tell(toLink(store.get(), say));
  }

  store.touch();
  return {
    close() {
      clearTimeout(timer);
      store.close();
      const { example, exercise, decimals, blanks } = store.get();
      return { example, exercise, decimals, blanks, problem: null };
    },
  };
}

const givenOf = ({ exercise, decimals }) => ({ exercise, decimals });
