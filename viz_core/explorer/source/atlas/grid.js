// Every head as a cell, layers from top to bottom.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { createStrip } from "../shared/legend.js";
import { remember } from "../shared/remember.js";
import { section } from "../shared/section.js";
import { colouring, groupName, GROUP, labelOf } from "./measures.js";

const NUMBERED = { share: 12, tokens: 12, change: 6 }; // heads per layer: with more, the cells have no room for numbers
const MANY = 8; // heads per layer: with more, only where the grid is wide

export function createGrid({ atlas, say, titleOf }) {
  const { layers, heads } = atlas, indices = [...Array(layers * heads).keys()];
  const cells = indices.map((index) => el("button", { type: "button", class: "cell", "data-head": index, tabindex: "-1" }));
  const number = (value) => el("span", { class: "number" }, String(value + 1));
  const box = el("div", { class: heads > MANY ? "cells many" : "cells", role: "group", "aria-label": say("grid"), style: `--columns:${heads}` },
    el("span"), ...indices.slice(0, heads).map(number),
    ...indices.slice(0, layers).flatMap((layer) => [number(layer), ...cells.slice(layer * heads, (layer + 1) * heads)]));
  const legend = el("div", { class: "legend" });
  const { element, note } = section({ name: "grid", title: say("grid") }, box, legend);
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads, ArrowDown: heads };
  roveFocus(box, () => cells, (key, index) => {
    const to = index + steps[key];
    return key in steps ? (to in cells ? to : index) : undefined;
  });

  const paint = remember((name) => {
    const { fill, ink, text, stops, marks } = colouring(atlas, name), title = titleOf(name);
    const isNumbered = name === GROUP || heads <= NUMBERED[atlas.measures[name].unit];
    cells.forEach((cell, index) => {
      Object.assign(cell.style, { background: fill(index), color: ink(index) });
      cell.textContent = isNumbered ? text(index) : "";
      cell.setAttribute("aria-label", say("cell", { head: labelOf(atlas, index), title, value: text(index) || say("alone") }));
    });
    note.textContent = title;
    legend.replaceChildren(...(stops ? strip(stops, marks) : groups()));
  });

  function strip(stops, marks) {
    const created = createStrip(stops);
    created.show(marks);
    return [el("div", {}, created.strip, created.marks)];
  }

  /** The groups with their members, and what makes a group. */
  function groups() {
    const count = Math.max(-1, ...atlas.groups) + 1;
    const lines = Array.from({ length: count }, (_, group) => {
      const members = indices.filter((index) => atlas.groups[index] === group);
      const { fill, ink } = colouring(atlas, GROUP), [first] = members;
      return el("li", {}, el("i", { style: `background:${fill(first)};color:${ink(first)}` }, groupName(group)),
        members.map((index) => labelOf(atlas, index)).join(", "));
    });
    return [el("div", {}, el("ul", { class: "groups" }, ...lines), el("p", {}, count ? atlas.groupsNote : say("no_groups")))];
  }

  const mark = remember((head) => {
    cells.forEach((cell, index) => {
      cell.toggleAttribute("data-marked", index === head);
      cell.tabIndex = index === head ? 0 : -1;
    });
  });

  return {
    element,
    draw({ colour, head }) {
      paint(colour);
      mark(head);
    },
  };
}
