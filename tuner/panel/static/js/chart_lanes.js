// Below the chart, a lane per change: in which runs it was in force, and whether on trial, promoted or pinned.

import { MARGIN } from "./chart_margins.js";
import { h, s } from "./element.js";
import { clipped } from "./printable.js";

const MOST_LANES = 6;
const HEIGHT = 8;

/** Changes with the stretches of runs in which each was in force: `{words, last, stretches: [{from, to, standing}]}`. */
export function lanesOf(points) {
  const found = new Map();
  for (const { x, run } of points) {
    for (const { action_id: id, words, standing } of run.in_force) {
      const lane = found.get(id) ?? { words, stretches: [] };
      const open = lane.stretches.at(-1);
      if (open && open.to === x - 1 && open.standing === standing) open.to = x;
      else lane.stretches.push({ from: x, to: x, standing });
      found.set(id, Object.assign(lane, { words, last: x }));
    }
  }
  return [...found.values()].sort((one, other) => other.last - one.last);
}

function strip(lane, count, width) {
  const step = (width - MARGIN.left - MARGIN.right) / Math.max(count, 1);
  return s(
    "svg",
    { width, height: HEIGHT, class: "lane-strip" },
    s("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "lane-ground" }),
    lane.stretches.map(({ from, to, standing }) =>
      s("rect", { x: MARGIN.left + from * step + 0.5, width: Math.max((to - from + 1) * step - 1, 1.5), y: 0.5, height: HEIGHT - 1, rx: 2, class: `lane ${standing}` }),
    ),
  );
}

export function lanes(points, width) {
  const all = lanesOf(points);
  const more = all.length - MOST_LANES;
  return h(
    "div",
    { class: "lanes" },
    all.length ? h("div", { class: "lane-words head", style: { "padding-left": `${MARGIN.left}px` } }, "In force: dashed on trial, solid promoted or pinned") : "",
    all.slice(0, MOST_LANES).map((lane) => [
      h("div", { class: "lane-words", style: { "padding-left": `${MARGIN.left}px` } }, h("bdi", {}, clipped(lane.words, 110))),
      strip(lane, points.length, width),
    ]),
    more > 0 ? h("div", { class: "lane-words faint", style: { "padding-left": `${MARGIN.left}px` } }, `and ${more} more: the table of runs has them all`) : "",
  );
}
