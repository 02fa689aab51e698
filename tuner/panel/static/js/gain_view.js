// What a change gains, in full: what its runs measured, what the latest of them did, and what was predicted, on one scale.

import { difference, lessOrMore } from "./difference.js";
import { h, s } from "./element.js";
import { intervalWords, sureWords } from "./gain_words.js";
import { counted, seconds } from "./units.js";

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

function fact(label, value, ...beside) {
  return h("div", {}, h("dt", {}, label), h("dd", {}, value, h("span", { class: "faint" }, beside)));
}

function measuredOver({ low, high, probability, runs, queries, not_named: notNamed }) {
  const beside = notNamed ? ` (${notNamed} of them not meant)` : "";
  return ` ${intervalWords(low, high)} with 90%; ${sureWords(probability)} of a gain, by ${counted(runs, "run")} over ${counted(queries, "query", "queries")}${beside}`;
}

function predictedOf({ before, low, high }) {
  return ` ${intervalWords(before - high, before - low)}, of ${seconds(before)}`;
}

/** `gained_seconds` null is not measured yet; undefined has nothing said of it. */
export function gainView({ predicted, gained_seconds: gained, measured }) {
  const isMeasured = gained !== null && gained !== undefined;
  if (!predicted && !isMeasured && !measured) return "";
  const facts = [];
  if (measured) facts.push(fact("Measured", difference(measured.seconds, { tag: "strong" }), measuredOver(measured)));
  if (isMeasured) facts.push(fact(measured ? "Latest run" : "Measured", difference(gained, { tag: measured ? "span" : "strong" }), measured ? "" : " in the latest run that measured it"));
  const isKnown = measured || isMeasured;
  if (predicted) facts.push(fact("Predicted", h(isKnown ? "span" : "strong", {}, lessOrMore(predicted.gain)), predictedOf(predicted), isKnown ? ", before it was measured" : ""));
  if (!isKnown && gained === null) facts.push(fact("Measured", h("span", { class: "faint" }, "not yet")));
  return h("div", { class: "gain" }, predicted ? bar(predicted, measured?.seconds ?? (isMeasured ? gained : null)) : "", h("dl", {}, facts));
}
