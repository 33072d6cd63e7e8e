// The tree of a beam search: which sequences survived at each word, and where each of them ended.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { layOutTree } from "./beam_layout.js";
import { percent } from "./names.js";
import { pathTo } from "./result.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 2.9, GAP = 2.2, ENDING = 9; // height of a row, width of the lines between words and of a score, in letters

/** `{ element, draw(result, state) }`. onfeed(words): decoding goes on from these words. size: of a letter, in px. */
export function createBeam(say, size, onfeed) {
  const box = el("div", { class: "tree" }), note = el("p", { class: "note" });
  const element = el("section", { class: "beam", "aria-label": say("beam") }, el("h3", {}, say("beam")), note, box);
  const labelWidth = ({ token }) => Math.max(2.2, letters(token) + 0.6);
  roveFocus(box, () => [...box.querySelectorAll(".node")], (key, index) => (
    { ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  function draw({ nodes, leaves }) {
    const tree = layOutTree(nodes, leaves), at = new Map(tree.nodes.map((node) => [node.index, node]));
    const starts = columnStarts(tree, (index) => labelWidth(nodes[index]));
    const x = ({ column }) => starts[column] * size, y = ({ row }) => (row * ROW + 1.5) * size;
    const right = (node) => x(node) + labelWidth(nodes[node.index]) * size;
    const alive = new Set(leaves.flatMap(({ node }) => pathTo(nodes, node)));
    const width = (starts[tree.columns] + ENDING) * size, height = (tree.rows * ROW + 0.6) * size;
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": say("beam") });
    const byImportance = [...tree.nodes].sort((a, b) => a.best - b.best); // the best path above the others
    for (const node of byImportance) picture.append(edge(at.get(nodes[node.index].parent), node));
    picture.append(svg("circle", { class: "root", cx: 0.5 * size, cy: 1.5 * size, r: 0.3 * size }));
    for (const node of tree.nodes) {
      picture.append(drawNode(node, node.best ? "best" : alive.has(node.index) || !leaves.length ? "alive" : "dead"));
    }
    leaves.forEach(({ node, score }, rank) => picture.append(svg("text", {
      class: rank ? "score" : "score best", x: right(at.get(node)) + 0.6 * size, y: y(at.get(node)) + 0.35 * size },
    say("leaf", { rank: rank + 1, score: score.toFixed(2) }))));
    box.replaceChildren(picture);
    picture.querySelector(".node").setAttribute("tabindex", "0");

    function edge(parent, node) {
      const from = parent ? [right(parent), y(parent)] : [0.5 * size, 1.5 * size], to = [x(node) - 0.4 * size, y(node)];
      const turn = to[0] - 1.2 * size, middle = to[0] - 0.6 * size;
      return svg("path", { class: node.best ? "edge best" : "edge",
        d: `M${from}H${turn}C${middle} ${from[1]} ${middle} ${to[1]} ${to}` });
    }

    function drawNode(node, state) {
      const { token, probability, log_probability: total } = nodes[node.index];
      const name = say("node", { word: token, probability: percent(probability), total: total.toFixed(2) });
      const take = () => onfeed(pathTo(nodes, node.index).map((index) => nodes[index].token));
      const group = svg("g", { class: `node ${state}`, tabindex: "-1", role: "button", "aria-label": name,
        transform: `translate(${x(node)} ${y(node)})` },
      svg("title", {}, name),
      svg("rect", { x: -0.3 * size, y: -1.1 * size, width: (labelWidth(nodes[node.index]) + 0.3) * size,
        height: 2.4 * size, rx: 4 }),
      svg("text", { class: "token", y: 0.1 * size }, token),
      svg("text", { class: "share", y: 1.1 * size }, percent(probability)));
      group.addEventListener("click", take);
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault(); // a space would scroll the page
        take();
      });
      return group;
    }
  }

  return {
    element,
    draw(result, { view, method, width }) {
      element.hidden = view === "training" || method !== "beam" || !result.nodes.length;
      if (element.hidden) return;
      note.textContent = say("beam_note", { width });
      draw(result);
    },
  };
}

/** The width of a label, in letters; Chinese characters are wider. */
const letters = (label) => [...label].reduce((sum, letter) => sum + (letter > "\u2e80" ? 1 : 0.56), 0);

/** Where each column starts, and where the last one ends, in letters. width(index): of a node's label. */
function columnStarts({ nodes, columns }, width) {
  const starts = [GAP];
  for (let column = 0; column < columns; column++) {
    const widest = Math.max(...nodes.filter((node) => node.column === column).map(({ index }) => width(index)));
    starts.push(starts[column] + widest + GAP);
  }
  return starts;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
