// How many times as fast each query is, a dot for each contender.

import { colour, symbol } from "./bench_colours.js";
import { picture, placed } from "./bench_picture.js";

const ROW = 15;

export function queryDots(data) {
  const contenders = placed(data).slice(1);
  const names = data.contenders[0].queries.map(({ query }) => query);
  // What only one of them finishes has no ratio, nor what gives other rows.
  const points = contenders.map(({ position, title, queries }) => queries.filter(({ finished, default_finished: usual, other_rows: other }) => finished && usual && !other).map(({ query, speed_up: x, final_seconds: s }) => ({ position, title, query, x, s })));
  const ratios = points.flat().map(({ x }) => x);
  const drawn = points.filter((line) => line.length);
  const best = (line) => line.reduce((most, point) => (point.x > most.x ? point : most));
  const summary = drawn.map((line) => `${line[0].title}: at best ${best(line).x.toFixed(1)} times, ${best(line).query}`).join("; ");
  return picture(contenders, `${summary}.`, (Plot) => ({
    height: 50 + ROW * names.length,
    marginLeft: 64,
    x: { type: "log", domain: [Math.min(0.8, ...ratios) / 1.05, Math.max(1.25, ...ratios) * 1.05], grid: true, tickFormat: (x) => `${x}x`, label: null, axis: "both" },
    y: { type: "point", domain: names, label: null },
    marks: [
      Plot.ruleX([1], { stroke: "var(--ink-faint)" }),
      ...drawn.map((line) =>
        Plot.dot(line, { x: "x", y: "query", fill: colour(line[0].position), symbol: symbol(line[0].position), r: 3.5, title: ({ title, query, x, s }) => `${title}, ${query}: ${s.toFixed(1)} s, ${x.toFixed(2)}x` }),
      ),
    ],
  }));
}
