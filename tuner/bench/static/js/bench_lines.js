// A line over the runs for each contender.

import { colour, symbol } from "./bench_colours.js";
import { picture, placed, rounds } from "./bench_picture.js";

/** `value(run)` is what is drawn, `words(value)` how it is read. */
export function runLines(data, value, words) {
  const contenders = placed(data);
  const numbers = rounds(contenders);
  const points = contenders.map(({ position, title, runs }) => runs.map((run) => ({ position, title, run: run.run, y: value(run) })));
  const last = points.map((line) => `${line.at(-1).title} ${words(line.at(-1).y)}`).join(", ");
  return picture(contenders, `In run ${numbers.at(-1)}: ${last}.`, (Plot) => ({
    height: 280,
    marginLeft: 64,
    x: { domain: [numbers[0] - 0.2, numbers.at(-1) + 0.2], ticks: numbers, tickFormat: (n) => (n > data.learning_runs ? `${n} (repeat)` : `run ${n}`), label: null },
    y: { domain: [0, Math.max(...points.flat().map(({ y }) => y)) * 1.05], grid: true, tickFormat: words, ticks: 5, label: null },
    marks: points.flatMap((line) => [
      Plot.lineY(line, { x: "run", y: "y", stroke: colour(line[0].position), strokeWidth: 2 }),
      Plot.dot(line, { x: "run", y: "y", fill: colour(line[0].position), symbol: symbol(line[0].position), r: 4, title: ({ title, run, y }) => `${title}, run ${run}: ${words(y)}` }),
    ]),
  }));
}
