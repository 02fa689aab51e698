// Seconds of the newest runs as a small line; the words beside it say what it shows.

import { s } from "./element.js";

const [WIDTH, HEIGHT, PAD] = [96, 24, 3];

/** `values` oldest first, null where a run was not measured: the line has a gap there. Nothing for fewer than two. */
export function trendLine(values) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return "";
  const most = Math.max(...known);
  const x = (index) => PAD + (index / (values.length - 1)) * (WIDTH - 2 * PAD);
  const y = (value) => HEIGHT - PAD - (most > 0 ? value / most : 0) * (HEIGHT - 2 * PAD);
  let path = "";
  values.forEach((value, index) => {
    if (value !== null) path += `${index && values[index - 1] !== null ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  const last = values.findLastIndex((value) => value !== null);
  return s(
    "svg",
    { class: "trend-line", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    s("line", { x1: PAD, x2: WIDTH - PAD, y1: HEIGHT - PAD, y2: HEIGHT - PAD, class: "ground" }),
    s("path", { d: path }),
    s("circle", { cx: x(last), cy: y(values[last]), r: 2.2 }),
  );
}
