// A step of a plan as a box: a bar of its kind's colour, what it is, and what it is of.

import { s } from "./element.js";
import { builds, output, stepLabel, stepTitle } from "./plan_words.js";
import { clipped } from "./printable.js";
import { bytes } from "./units.js";

export const BOX = { width: 204, height: 46 };

const MOST_TITLE = 27;
const MOST_LABEL = 28;
const SWAP = "M0 3h8M5.5 0 8.5 3 5.5 6M11 8H3M5.5 5 2.5 8 5.5 11";

function whole(step) {
  return [stepTitle(step), step.label, builds(step), output(step), step.changed && `changed: ${step.changed}`]
    .filter(Boolean)
    .map((part) => clipped(part, 300))
    .join("\n");
}

/** The box with its upper left corner at x, y; a changed join has a frame, an icon and the word. */
export function stepBox(step, x, y) {
  const below = [stepLabel(step), builds(step)].filter(Boolean).join(", ") || (step.bytes === null ? "" : bytes(step.bytes));
  return s(
    "g",
    { class: `step ${step.kind}${step.changed ? " changed" : ""}`, transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` },
    s("title", {}, whole(step)),
    s("rect", { class: "box", width: BOX.width, height: BOX.height, rx: 5 }),
    s("rect", { class: "kind", width: 4, height: BOX.height, rx: 2 }),
    s("text", { class: "step-title", x: 13, y: 19 }, clipped(stepTitle(step), MOST_TITLE)),
    s("text", { class: "step-label", x: 13, y: 36 }, s("tspan", { direction: "ltr" }, clipped(below, MOST_LABEL))),
    step.changed
      ? s("g", { class: "mark", transform: `translate(${BOX.width - 88},-11)` }, s("rect", { width: 82, height: 18, rx: 9 }), s("path", { d: SWAP, transform: "translate(9,5)" }), s("text", { x: 25, y: 13 }, "changed"))
      : "",
  );
}
