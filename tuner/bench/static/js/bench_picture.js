// A plot that is as wide as its place, with a legend of the contenders above it.

import { colour } from "./bench_colours.js";
import { h } from "./element.js";
import { plot } from "./libraries.js";

const STYLE = { background: "transparent", fontFamily: "inherit", fontSize: "11px" };

/** `draw(Plot, width)` gives the options of the plot; `summary` says in words what it shows. */
export function picture(contenders, summary, draw) {
  const place = h("div", { class: "chart-picture still", role: "img", "aria-label": summary });
  let width = 0;
  new ResizeObserver(async ([entry]) => {
    const wide = Math.floor(entry.contentRect.width);
    if (wide < 50 || wide === width) return;
    width = wide;
    const Plot = await plot();
    place.replaceChildren(Plot.plot({ width, style: STYLE, ...draw(Plot, width) }));
  }).observe(place);
  const keys = contenders.map(({ title, position }) => h("li", {}, h("span", { class: "bench-key", style: { background: colour(position) } }), title));
  return h("div", { class: "chart" }, h("ul", { class: "legend" }, keys), place);
}

/** The numbers of all rounds that any of them ran in. */
export function rounds(contenders) {
  return [...new Set(contenders.flatMap(({ runs }) => runs.map(({ run }) => run)))].sort((a, b) => a - b);
}

/** The contenders with their place in the order in which they are shown. */
export function placed(data) {
  return data.contenders.map((contender, position) => ({ ...contender, position }));
}
