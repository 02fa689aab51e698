// Hours of cores and of queries, from seconds of a test to years of a fleet.

import { grouped, seconds } from "./units.js";

/** `0.012`, `3.4`, `1,204`. */
export function hours(value) {
  const size = Math.abs(value);
  if (size >= 99.95) return `${value < 0 ? "-" : ""}${grouped(Math.round(size))}`;
  if (size === 0 || size >= 0.995) return value.toFixed(1);
  return size < 0.00005 ? "0" : String(Number(value.toPrecision(2)));
}

/** Query time: seconds and minutes, hours where there are some. */
export function queryTime(value) {
  return Math.abs(value) >= 7200 ? `${hours(value / 3600)} h` : seconds(value);
}

/** Gains from the least to the most: `1.2 to 3.4`, with a word where the least is a loss. */
export function interval(least, most, words) {
  const [low, high] = [Math.min(least, most), Math.max(least, most)];
  return low < 0 ? `${words(-low)} more to ${words(high)} less` : `${words(low)} to ${words(high)}`;
}
