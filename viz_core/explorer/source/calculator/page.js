// The matrices of an exercise in their order, as elements: on the page, and on a sheet of paper.

import { el } from "../shared/dom.js";
import { sections } from "./layout.js";
import { createTable } from "./table.js";
import { typeset } from "./typeset.js";

const VARIANTS = { projections: "cross", scores: "causal" }; // sections that another kind explains otherwise

/**
 * `{ elements, tables }`: the sections of a calculation, those of a head in an element, and all their tables. options: as
 * of `createTable`; only the first table of a matrix that is given is editable, or of one that is `answered(block)`.
 */
export function createSections(calculation, say, options = {}) {
  const { exercise, blocks } = calculation, tables = [], drawn = new Set();
  const { answered = (_block) => false } = options;
  const table = (id, headers) => {
    const block = blocks.get(id), isFirst = !drawn.has(id);
    drawn.add(id);
    tables.push(createTable(id, calculation, say, { interactive: options.interactive, headers,
      editable: options.editable && isFirst && block.operation === "given", answered: isFirst && answered(block) }));
    return tables.at(-1).element;
  };
  const column = (/** @type {{ id: string, above?: string }} */ { id, above }, index) => el("div", { class: "stack" }, above ? table(above, false) : null, table(id, index === 0));
  let number = 0;
  const parts = new Map(); // head -> its sections
  for (const { key, head, groups } of sections(exercise)) {
    number = head > 1 && key === "projections" ? 1 : number + 1;
    const title = `${head ? say("head", { head }) : ""}${number}. ${say(`step_${key}`)}`;
    const section = el("section", { class: `view step ${key}`, "aria-label": title },
      el("header", {}, el("h2", {}, title)),
      el("p", { class: "note" }, ...typeset(say(`about_${key}${VARIANTS[key] === exercise.kind ? `_${exercise.kind}` : ""}`))),
      el("div", { class: "groups" }, ...groups.map((group) => el("div", { class: "group" }, ...group.map(column)))));
    parts.set(head, [...(parts.get(head) ?? []), section]);
  }
  return { elements: [...parts.values()].map((steps) => el("div", { class: "part" }, ...steps)), tables };
}
