// What a change is to gain, with its interval, and what it gained, in words and on one scale.

import { difference, lessOrMore } from "./difference.js";
import { h, s } from "./element.js";
import { seconds } from "./units.js";

const [WIDTH, HEIGHT, MIDDLE] = [300, 32, 11];

function bar({ before, after, low, high }, gained) {
  const [least, most] = [before - high, before - low];
  const values = [0, least, most, ...(gained === null ? [] : [gained])];
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const pad = (to - from || 1) * 0.06;
  const x = (value) => ((value - from + pad) / (to - from + 2 * pad)) * WIDTH;
  return s(
    "svg",
    { class: "gain-bar", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    s("line", { x1: 0, x2: WIDTH, y1: MIDDLE, y2: MIDDLE, class: "scale" }),
    s("line", { x1: x(0), x2: x(0), y1: 3, y2: 19, class: "zero" }),
    s("text", { x: Math.max(x(0), 4), y: 29 }, "0"),
    s("rect", { x: x(least), width: Math.max(x(most) - x(least), 2), y: MIDDLE - 4, height: 8, rx: 2, class: "interval" }),
    s("rect", { x: x(before - after) - 1.5, width: 3, y: MIDDLE - 7, height: 14, class: "point" }),
    gained === null ? "" : s("path", { d: `M${x(gained)} ${MIDDLE - 7}l6 7-6 7-6-7Z`, class: gained >= 0 ? "gained" : "gained lost" }),
  );
}

/** `gained_seconds` null is not measured yet; undefined has nothing said of it. */
export function gainView({ predicted, gained_seconds: gained }) {
  const isMeasured = gained !== null && gained !== undefined;
  if (!predicted && !isMeasured) return "";
  const facts = [];
  if (predicted) {
    const interval = `${lessOrMore(predicted.before - predicted.high)} to ${lessOrMore(predicted.before - predicted.low)}`;
    facts.push(h("div", {}, h("dt", {}, "Predicted"), h("dd", {}, h("strong", {}, lessOrMore(predicted.gain)), h("span", { class: "faint" }, ` ${interval}, of ${seconds(predicted.before)}`))));
  }
  if (isMeasured) {
    facts.push(h("div", {}, h("dt", {}, "Measured"), h("dd", {}, difference(gained, { tag: "strong" }), h("span", { class: "faint" }, " in the latest run that measured it"))));
  } else if (predicted && gained === null) {
    facts.push(h("div", {}, h("dt", {}, "Measured"), h("dd", { class: "faint" }, "not yet")));
  }
  return h("div", { class: "gain" }, predicted ? bar(predicted, isMeasured ? gained : null) : "", h("dl", {}, facts));
}
