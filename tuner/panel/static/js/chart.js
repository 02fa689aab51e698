// Query seconds over runs: the band of what they would have taken, a mark for what was in force, and lanes of changes.

import { followRuns } from "./chart_cursor.js";
import { lanes } from "./chart_lanes.js";
import { legend } from "./chart_legend.js";
import { MARGIN } from "./chart_margins.js";
import { h } from "./element.js";
import { d3, plot } from "./libraries.js";
import { KINDS, kindOf } from "./run_kind.js";
import { tickLabels } from "./run_ticks.js";
import { timeTicks, tickWords } from "./time_scale.js";
import { counted, seconds } from "./units.js";

const HEIGHT = 260;

function marks(Plot, shapes, points, here) {
  const banded = points.map((point) => ({ ...point, ...(point.run.band ?? { low: NaN, high: NaN, expected: NaN }) }));
  const measured = points.filter((point) => point.y !== null);
  // An area needs two runs side by side: a band between runs that have none is a bar.
  const alone = banded.filter(({ x, run }) => run.band && !points[x - 1]?.run.band && !points[x + 1]?.run.band).map((point) => ({ ...point, x1: point.x - 0.3, x2: point.x + 0.3 }));
  return [
    Plot.rect(alone, { x1: "x1", x2: "x2", y1: "low", y2: "high", fill: "var(--band)", className: "band-alone" }),
    Plot.ruleY(alone, { x1: "x1", x2: "x2", y: "expected", stroke: "var(--band-line)", strokeDasharray: "4 3", strokeWidth: 1.5 }),
    Plot.areaY(banded, { x: "x", y1: "low", y2: "high", fill: "var(--band)", className: "band" }),
    Plot.lineY(banded, { x: "x", y: "expected", stroke: "var(--band-line)", strokeDasharray: "4 3", strokeWidth: 1.5 }),
    here.length ? Plot.ruleX(here, { x: "x", stroke: "var(--accent)", strokeOpacity: 0.35, strokeWidth: 8 }) : null,
    Plot.lineY(measured, { x: "x", y: "y", stroke: "var(--ink-faint)", strokeWidth: 1 }),
    ...Object.entries(KINDS).map(([kind, { symbol, filled }]) =>
      Plot.dot(
        points.filter((point) => point.kind === kind).map((point) => ({ x: point.x, y: point.y ?? 0 })),
        {
          x: "x",
          y: "y",
          r: points.length > 120 ? 3 : 4.5,
          symbol: shapes[symbol],
          fill: filled ? `var(--kind-${kind})` : "var(--page)",
          stroke: `var(--kind-${kind})`,
          strokeWidth: 1.75,
        },
      ),
    ),
  ];
}

function ticks(points, width) {
  const most = Math.max(2, Math.floor(width / 110));
  const step = Math.max(1, Math.ceil(points.length / most));
  return points.filter((_, index) => index % step === 0).map((point) => point.x);
}

function drawn(Plot, shapes, points, width, here) {
  const scale = timeTicks(Math.max(...points.map((point) => Math.max(point.y ?? 0, point.run.band?.high ?? 0))));
  const shown = ticks(points, width);
  const labels = tickLabels(shown.map((x) => points[x].run.started_at));
  return Plot.plot({
    width,
    height: HEIGHT,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    style: { background: "transparent", fontFamily: "inherit", fontSize: "11px" },
    x: { domain: [-0.5, Math.max(points.length - 0.5, 0.5)], ticks: shown, tickFormat: (x) => labels[shown.indexOf(x)], tickSize: 4, label: null },
    y: { domain: [0, scale.at(-1)], ticks: scale, grid: true, tickFormat: tickWords, label: null },
    marks: marks(Plot, shapes, points, here),
  });
}

/** The runs, oldest first, in a sentence or two. */
export function chartWords(runs) {
  const measured = runs.filter((run) => run.query_seconds !== null);
  if (!measured.length) return `${counted(runs.length, "run")}, none measured yet.`;
  const last = measured.at(-1);
  const expected = last.band ? `, ${seconds(last.band.expected)} expected with nothing in force` : "";
  return `${counted(runs.length, "run")}. The latest measured took ${seconds(last.query_seconds)}${expected}.`;
}

/** The chart of `runs`, oldest first; `isHere` tells the run the page was opened from, `open` shows a run in the table. */
export async function runsChart(runs, { isHere, open }) {
  const [Plot, shapes] = [await plot(), await d3()];
  const points = runs.map((run, x) => ({ x, y: run.query_seconds, kind: kindOf(run), run }));
  const here = points.filter((point) => isHere(point.run));
  const picture = h("div", { class: "chart-picture", "aria-hidden": "true" });
  const tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  const reader = h(
    "div",
    { class: "chart", tabindex: "0", role: "slider", "aria-label": `Runs. ${chartWords(runs)}`, "aria-valuemin": "1", "aria-valuemax": String(points.length) },
    picture,
    tip,
  );
  const cursor = followRuns({ reader, picture, tip, points, isHere, open });
  let width = 0;
  new ResizeObserver(([entry]) => {
    const wide = Math.floor(entry.contentRect.width);
    if (wide < 50 || wide === width) return;
    width = wide;
    const svg = drawn(Plot, shapes, points, width, here);
    picture.replaceChildren(svg, lanes(points, width));
    cursor.drawnAs(svg);
  }).observe(reader);
  return h("div", { class: "chart-with-legend" }, legend(shapes, points), reader);
}
