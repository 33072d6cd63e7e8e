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
import { stepOf } from "./layout.js";
import { createSections } from "./page.js";
import { countRight, createAsking, isCopy, placeKey } from "./practice.js";
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
  const start = (example) => set({ example, exercise: exampleExercise(example, say), answers: {}, problem: null });
  const controls = createControls(say, {
    start, reset: () => start(store.get().example), setDecimals: (decimals) => set({ decimals }),
    resize: (sizes) => set({ exercise: resize(exercise(), sizes), answers: {}, problem: null }),
    practise: (practice) => set({ practice }) });
  const document = (solution) =>
    sheet(calculate(givenOf(store.get())), say, input.language, new Set(store.get().blanks), solution);
  const paper = createSheetControls(say, {
    blank: (step, on) => set({ blanks: on ? [...store.get().blanks, step] : store.get().blanks.filter((name) => name !== step) }),
    print: (solution) => printDocument(document(solution)),
    save: (solution) => saveDocument(document(solution), `attention-${solution ? "solution" : "exercise"}.html`) });
  const trace = createTrace(say, input.catalogue), problem = el("p", { class: "problem", role: "status" });
  const progress = el("p", { class: "progress", role: "status" }), content = el("div", { class: "sections" });
  const calculate = remember(({ exercise, decimals }) => ({ exercise, blocks: compute(exercise), decimals }));
  const asking = remember(({ practice, blanks, answers }, calculation) => createAsking(calculation, practice ? blanks : [], answers));
  const link = (state) => toLink(state, say, isSolved(state));
  const tell = remember(report, link(store.get()));
  let tables = [], timer = 0;
  const cells = () => tables.flatMap((table) => table.cells.flat());

  applyTheme(root, input.theme);
  root.lang = input.language;
  root.replaceChildren(controls.element, el("div", { class: "head" }, trace.element, progress, problem), content, paper.element);
  listenToEdits(content, {
    exercise,
    setNumbers: (id, row, column, rows) => set({ exercise: rows.reduce((changed, line, i) => line.reduce(
      (again, value, j) => withNumber(again, id, row + i, column + j, value), changed), exercise()) }),
    setName: (axis, index, name) => {
      const list = axis === "targets" ? "targetNames" : "names";
      set({ exercise: { ...exercise(), [list]: exercise()[list].map((other, i) => (i === index ? name : other)) } });
    },
    setAnswer: (id, row, column, text, left) => set({ answers: { ...store.get().answers, [placeKey(id, row, column)]: { text, left } } }),
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

  /** Creates the tables. _sizes: of the exercise, and its kind. practised: the steps whose numbers are typed. */
  const create = remember((_sizes, practised) => {
    const sections = createSections(calculate(givenOf(store.get())), say, { editable: true, interactive: true,
      answered: (block) => practised.includes(stepOf(block)) && !isCopy(block) });
    tables = sections.tables;
    content.replaceChildren(...sections.elements);
    for (const table of tables) {
      focusable(table.cells[0][0]).tabIndex = 0;
      for (const cell of table.cells.flat()) focusable(cell).setAttribute("aria-describedby", "trace");
    }
  });

  function draw(state) {
    const calculation = calculate(givenOf(state)), { numbers, names, targetNames, ...sizes } = state.exercise;
    create(sizes, state.practice ? state.blanks : []);
    const asks = asking(state, calculation);
    for (const table of tables) table.show(calculation, asks);
    controls.draw(state);
    paper.draw(state);
    trace.draw(state.active, calculation, tables, asks, state.practice);
    progress.textContent = state.practice ? sayProgress(countRight(calculation, asks)) : "";
    problem.textContent = state.problem ? say(state.problem.key, state.problem.values) : "";
    clearTimeout(timer);
    timer = setTimeout(rest, REST);
    root.dataset.drawn = "true";
  }

  /** Each matrix is a single tab stop: the cell that had the focus last. Answers are one each. */
  function moveTabStop(cell) {
    const table = tables.find((other) => other.cells.some((line) => line.includes(cell)));
    for (const other of table.cells.flat()) {
      if (!focusable(other).matches(".answer")) focusable(other).tabIndex = other === cell ? 0 : -1;
    }
  }

  function sayProgress({ count, right }) {
    return say(count === 0 ? "practice_none" : right === count ? "practice_done" : "practice_progress", { count, right });
  }

  function isSolved(state) {
    const calculation = calculate(givenOf(state)), { count, right } = countRight(calculation, asking(state, calculation));
    return count > 0 && right === count;
  }

  function rest() {
    tell(link(store.get()));
  }

  store.touch();
  return {
    close() {
      clearTimeout(timer);
      store.close();
      const { example, exercise, decimals, blanks, practice, answers } = store.get();
      return { example, exercise, decimals, blanks, practice, answers, problem: null };
    },
  };
}

const givenOf = ({ exercise, decimals }) => ({ exercise, decimals });
