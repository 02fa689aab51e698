// A plan as boxes with lines between them: a line's width grows with the rows that flow, and its label counts them.

import { h, s } from "./element.js";
import { d3 } from "./libraries.js";
import { BOX, isMarked, stepBox } from "./plan_box.js";
import { allSeconds } from "./plan_words.js";
import { clipped } from "./printable.js";
import { rows } from "./units.js";

const GAP = { x: 26, y: 50 };
// Room for the mark of the step on top.
const TOP = 14;
const SCALES = [0.4, 0.55, 0.7, 0.85, 1, 1.25, 1.6];

function nested(steps, position) {
  const inputs = steps[position].inputs.filter((input) => input > position && input < steps.length);
  return { step: steps[position], children: inputs.map((input) => nested(steps, input)) };
}

/** One pixel for no row, one more for every power of ten. */
function lineWidth(flowing) {
  return flowing === null ? 1 : 1 + Math.log10(1 + flowing);
}

function edge(link, left, index) {
  const [from, to] = [link.target, link.source];
  const share = (index + 1) / (to.children.length + 1);
  const start = { x: from.x - left, y: from.y };
  const end = { x: to.x - left + (share - 0.5) * BOX.width * 0.6, y: to.y + BOX.height };
  const bend = (start.y + end.y) / 2;
  const { step } = from.data;
  const label = step.rows === null ? "" : rows(step.rows);
  // On the side that the line does not bend to.
  const side = end.x > start.x + 1 ? -1 : 1;
  const away = side * (6 + lineWidth(step.rows) / 2);
  return s(
    "g",
    { class: "edge" },
    s("path", { d: `M${start.x} ${start.y}C${start.x} ${bend},${end.x} ${bend},${end.x} ${end.y}`, "stroke-width": lineWidth(step.rows).toFixed(2) }),
    label ? s("text", { x: start.x + away, y: start.y - (isMarked(step) && side > 0 ? 17 : 9), "text-anchor": side > 0 ? "start" : "end" }, label) : "",
  );
}

/** The first zoom is that of the text beside it: what has no room scrolls. */
function zoomed(svg, width, height, scroller, { top, costliest }) {
  let at = SCALES.indexOf(1);
  const words = h("span", { class: "zoom-words", role: "status" }, "100%");
  const apply = (scale) => {
    svg.setAttribute("width", Math.round(width * scale));
    svg.setAttribute("height", Math.round(height * scale));
    words.textContent = `${Math.round(100 * scale)}%`;
  };
  const step = (by) => {
    at = Math.min(Math.max(at + by, 0), SCALES.length - 1);
    apply(SCALES[at]);
  };
  const fit = () => {
    const scale = Math.min(1, Math.max((scroller.clientWidth - 4) / width, 0.25));
    at = Math.max(SCALES.findLastIndex((each) => each <= scale), 0);
    apply(scale);
  };
  const show = ({ x, y }) => {
    const scale = svg.clientWidth / width;
    scroller.scrollTo({ left: x * scale - scroller.clientWidth / 2, top: y * scale - scroller.clientHeight / 2 });
  };
  const button = (label, name, act) => h("button", { type: "button", class: "small", "aria-label": name, on: { click: act } }, label);
  window.requestAnimationFrame(() => {
    scroller.scrollLeft = top.x - scroller.clientWidth / 2;
  });
  return h(
    "div",
    { class: "zoom" },
    costliest ? button("Most expensive", "Show the most expensive step", () => show(costliest)) : "",
    button("−", "Zoom out", () => step(-1)),
    words,
    button("+", "Zoom in", () => step(1)),
    button("Fit", "Fit the width", fit),
  );
}

/** The picture of `steps`, of which the first ran last and stands on top. */
export async function planPicture(steps, title) {
  const { hierarchy, tree } = await d3();
  const root = tree().nodeSize([BOX.width + GAP.x, BOX.height + GAP.y]).separation((one, other) => (one.parent === other.parent ? 1 : 1.05))(hierarchy(nested(steps, 0)));
  const nodes = root.descendants();
  const left = Math.min(...nodes.map((node) => node.x)) - BOX.width / 2 - 8;
  const width = Math.max(...nodes.map((node) => node.x)) - left + BOX.width / 2 + 8;
  const height = Math.max(...nodes.map((node) => node.y)) + BOX.height + 22;
  const all = allSeconds(steps);
  const part = (step) => (all > 0 ? (step.seconds ?? 0) / all : 0);
  const svg = s(
    "svg",
    { viewBox: `0 ${-TOP} ${width} ${height}`, width, height, role: "img", "aria-label": `Plan ${clipped(title.toLowerCase(), 40)}: ${nodes.length} steps. The text beside it has the same facts.` },
    root.links().map((link) => edge(link, left, link.source.children.indexOf(link.target))),
    nodes.map((node) => stepBox(node.data.step, node.x - left - BOX.width / 2, node.y, part(node.data.step))),
  );
  const scroller = h("div", { class: "plan-scroller", tabindex: "0", role: "region", "aria-label": `${title}: picture of the plan, scrolls` }, svg);
  const middle = (node) => ({ x: node.x - left, y: node.y + TOP + BOX.height / 2 });
  const costliest = nodes.find((node) => node.data.step.costliest);
  return h("div", { class: "plan-picture" }, zoomed(svg, width, height, scroller, { top: middle(root), costliest: costliest && middle(costliest) }), scroller);
}
