// A step of a plan as a box: a bar of its kind's colour, what it is, what it is of, its seconds and their part of the plan's.

import { s } from "./element.js";
import { iconPaths } from "./icons.js";
import { builds, output, stepLabel, stepTitle } from "./plan_words.js";
import { clipped } from "./printable.js";
import { bytes, seconds, share } from "./units.js";

export const BOX = { width: 232, height: 52 };

const MOST_TITLE = 31;
const MOST_TITLE_TIMED = 23;
const MOST_LABEL = 33;
const MARKS = { changed: { width: 84, words: "changed", icon: "swap" }, costliest: { width: 132, words: "most expensive", icon: "hot" } };
const EDGE = 10;

/** Whether a mark stands on the upper edge of the box. */
export function isMarked(step) {
  return Boolean(step.changed || step.costliest);
}

function whole(step, part) {
  const took = step.seconds === null ? "" : `${seconds(step.seconds)}, ${share(part)} of all steps`;
  return [stepTitle(step), step.label, builds(step), output(step), took, step.costliest && "most expensive", step.changed && `changed: ${step.changed}`]
    .filter(Boolean)
    .map((line) => clipped(line, 300))
    .join("\n");
}

function mark(kind, right) {
  const { width, words, icon } = MARKS[kind];
  return s(
    "g",
    { class: `mark ${kind}`, transform: `translate(${right - width},-11)` },
    s("rect", { width, height: 19, rx: 9.5 }),
    s("g", { transform: "translate(9,3.5) scale(0.75)" }, iconPaths(icon).map((path) => s("path", { d: path }))),
    s("text", { x: 26, y: 13.5 }, words),
  );
}

function marks(step) {
  const right = BOX.width - EDGE;
  return [step.changed ? mark("changed", right) : "", step.costliest ? mark("costliest", step.changed ? right - MARKS.changed.width - 6 : right) : ""];
}

/** The box with its upper left corner at x, y; `part` is the share of all steps' seconds that is its own. */
export function stepBox(step, x, y, part) {
  const below = [stepLabel(step), builds(step)].filter(Boolean).join(", ") || (step.bytes === null ? "" : bytes(step.bytes));
  const timed = step.seconds !== null;
  return s(
    "g",
    { class: ["step", step.kind, step.changed ? "changed" : "", step.costliest ? "costliest" : ""].filter(Boolean).join(" "), transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` },
    s("title", {}, whole(step, part)),
    s("rect", { class: "box", width: BOX.width, height: BOX.height, rx: 5 }),
    s("rect", { class: "kind", width: 4, height: BOX.height, rx: 2 }),
    s("text", { class: "step-title", x: 13, y: 20 }, clipped(stepTitle(step), timed ? MOST_TITLE_TIMED : MOST_TITLE)),
    timed ? s("text", { class: "step-time", x: BOX.width - 10, y: 20, "text-anchor": "end" }, seconds(step.seconds)) : "",
    s("text", { class: "step-label", x: 13, y: 37 }, s("tspan", { direction: "ltr" }, clipped(below, MOST_LABEL))),
    timed && part > 0 ? s("rect", { class: "part", x: 13, y: BOX.height - 8, width: Math.max((BOX.width - 23) * Math.min(part, 1), 1).toFixed(1), height: 3, rx: 1.5 }) : "",
    marks(step),
  );
}
