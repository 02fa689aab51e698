// What the chart's marks mean, with the kinds that occur.

import { h, s } from "./element.js";
import { KINDS } from "./run_kind.js";

function symbol(shapes, kind) {
  const { symbol: shape, filled } = KINDS[kind];
  return s(
    "svg",
    { class: "legend-mark", viewBox: "-7 -7 14 14", "aria-hidden": "true" },
    s("path", {
      d: shapes.symbol(shapes[shape], 52)(),
      fill: filled ? `var(--kind-${kind})` : "none",
      stroke: `var(--kind-${kind})`,
      "stroke-width": 1.75,
    }),
  );
}

function band() {
  return s(
    "svg",
    { class: "legend-mark wide", viewBox: "0 0 28 14", "aria-hidden": "true" },
    s("rect", { width: 28, height: 14, fill: "var(--band)" }),
    s("path", { d: "M0 7h28", stroke: "var(--band-line)", "stroke-width": 1.5, "stroke-dasharray": "4 3" }),
  );
}

export function legend(shapes, points) {
  const kinds = Object.keys(KINDS).filter((kind) => points.some((point) => point.kind === kind));
  return h(
    "ul",
    { class: "legend" },
    kinds.map((kind) => h("li", {}, symbol(shapes, kind), KINDS[kind].words)),
    points.some((point) => point.run.band) ? h("li", {}, band(), "Expected with nothing in force, with its interval") : "",
  );
}
