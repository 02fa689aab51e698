// Small pictures beside words; they never stand alone, so screen readers skip them.

import { s } from "./element.js";

const PATHS = {
  eye: ["M1.5 8s2.4-4.5 6.5-4.5S14.5 8 14.5 8 12.1 12.5 8 12.5 1.5 8 1.5 8Z", "M8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z"],
  flask: ["M6 1.8h4M6.8 1.8v4.4L3 12.6a1.1 1.1 0 0 0 1 1.6h8a1.1 1.1 0 0 0 1-1.6L9.2 6.2V1.8", "M4.9 10h6.2"],
  check: ["M2.5 8.5l3.5 3.5 7.5-8"],
  back: ["M6 3 2.5 6.5 6 10", "M2.8 6.5h6.4a4 4 0 0 1 0 8H6"],
  hand: ["M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8Z", "M6.2 5.5v5M9.8 5.5v5"],
  pin: ["M5.5 1.8h5l-.7 5 2.7 2.4H3.5l2.7-2.4-.7-5Z", "M8 9.2v5"],
  bulb: ["M5.8 11.5c0-1.6-2-2.4-2-5a4.2 4.2 0 1 1 8.4 0c0 2.6-2 3.4-2 5Z", "M6.2 14.2h3.6"],
  cross: ["M3.5 3.5l9 9M12.5 3.5l-9 9"],
  copy: ["M5.5 5.5h8v8h-8Z", "M10.5 5.5v-3h-8v8h3"],
  warn: ["M8 2 14.8 13.6H1.2Z", "M8 6.4v3.4M8 11.4v.6"],
  clock: ["M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8Z", "M8 4.6V8l2.4 1.6"],
  swap: ["M2 5.5h10.5M9.5 2.5l3 3-3 3", "M14 10.5H3.5M6.5 7.5l-3 3 3 3"],
  sun: ["M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6Z", "M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3.1 3.1l1.1 1.1M11.8 11.8l1.1 1.1M12.9 3.1l-1.1 1.1M4.2 11.8l-1.1 1.1"],
  moon: ["M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3Z"],
  coins: ["M8 2c3 0 5.2 1 5.2 2.2S11 6.4 8 6.4 2.8 5.4 2.8 4.2 5 2 8 2Z", "M2.8 4.2V8c0 1.2 2.2 2.2 5.2 2.2s5.2-1 5.2-2.2V4.2", "M2.8 8v3.8C2.8 13 5 14 8 14s5.2-1 5.2-2.2V8"],
  right: ["M6 3l5 5-5 5"],
  hot: ["M8 1.6c.6 2.6 4.2 4 4.2 7.6a4.2 4.2 0 0 1-8.4 0c0-1.7.9-2.7 1.8-3.7.2 1.1.7 1.8 1.4 2C6.7 5.4 6.8 3.3 8 1.6Z"],
  up: ["M8 13V3M4 7l4-4 4 4"],
  down: ["M8 3v10M4 9l4 4 4-4"],
  left: ["M10 3 5 8l5 5"],
  search: ["M7 2.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6Z", "M10.5 10.5 14 14"],
  gear: ["M3 4.5h10M3 8h10M3 11.5h10", "M6 3v3M10.5 6.5v3M5 10v3"],
};

/** The paths of a picture, 16 by 16, for pictures that hold it. */
export function iconPaths(name) {
  return PATHS[name];
}

export function icon(name) {
  return s(
    "svg",
    { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    PATHS[name].map((path) => s("path", { d: path })),
  );
}
