// A sheet of paper (A4): the exercise with blanks, or its solution, as an HTML document without scripts.

import { el } from "../shared/dom.js";
import { download } from "../shared/download.js";
import { stepOf } from "./layout.js";
import { createSections } from "./page.js";
import { SHEET_STYLE } from "./sheet_style.js";
import { typeset } from "./typeset.js";

/**
 * The document. calculation: `{ exercise, blocks, decimals }`. blanks: steps that are left blank. solution: whether the
 * numbers stand in the blanks.
 */
export function sheet(calculation, say, language, blanks, solution) {
  const isAsked = (block) => blanks.has(stepOf(block));
  const { elements, tables } = createSections(calculation, say);
  for (const table of tables) {
    const required = isAsked(calculation.blocks.get(table.id));
    table.show(calculation, (block) => (!solution && isAsked(block) ? { text: "", verdict: "" } : null));
    if (required) table.element.classList.add(solution ? "solved" : "blank");
  }
  const title = say(solution ? "sheet_solution" : "sheet_exercise");
  const page = el("html", { lang: language },
    el("head", {}, el("meta", { charset: "utf-8" }), el("meta", { name: "viewport", content: "width=device-width" }),
      el("title", {}, title), el("style", {}, SHEET_STYLE)),
    el("body", {},
      el("header", { class: "top" }, el("h1", {}, title),
        solution ? null : el("p", { class: "lines" }, el("span", {}, say("sheet_name")), el("span", {}, say("sheet_date")))),
      el("p", { class: "equation" }, ...typeset(say(`equation_${calculation.exercise.kind}`, { head: calculation.exercise.head }))),
      el("p", {}, say(solution ? "sheet_about_solution" : "sheet_about_exercise", { decimals: calculation.decimals })),
      ...elements));
  return `<!DOCTYPE html>${page.outerHTML}`;
}

/** Prints a document, in a frame that is not seen. */
export function printDocument(html) {
  const frame = el("iframe", { title: "", "aria-hidden": "true", style: "position:fixed;right:0;bottom:0;width:0;height:0;border:0" });
  document.body.append(frame);
  frame.contentDocument.open();
  frame.contentDocument.write(html);
  frame.contentDocument.close();
  frame.contentWindow.addEventListener("afterprint", () => frame.remove());
  frame.contentWindow.focus();
  frame.contentWindow.print();
}

/** Saves a document as a file. */
export function saveDocument(html, name) {
  download(new Blob([html], { type: "text/html" }), name);
}
