// Seconds of the newest runs as a line among words: a trend at a glance, which the chart tells in full.

import { s } from "./element.js";
import { kindOf } from "./run_kind.js";

const [WIDTH, HEIGHT, EDGE] = [180, 30, 3];
const MOST_RUNS = 40;

/** `runs` are oldest first; nothing is drawn of fewer than two that were measured. */
export function sparkLine(runs) {
  const measured = runs.filter((run) => run.query_seconds !== null).slice(-MOST_RUNS);
  if (measured.length < 2) return "";
  const most = Math.max(...measured.map((run) => run.query_seconds)) || 1;
  const points = measured.map((run, index) => ({
    x: EDGE + (index / (measured.length - 1)) * (WIDTH - 2 * EDGE),
    y: HEIGHT - EDGE - (run.query_seconds / most) * (HEIGHT - 2 * EDGE),
    kind: kindOf(run),
  }));
  return s(
    "svg",
    { class: "spark-line", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
    s("path", { d: `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}` }),
    points.map(({ x, y, kind }) => s("circle", { cx: x, cy: y, r: 2, fill: `var(--kind-${kind})` })),
  );
}
