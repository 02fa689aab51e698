// A scale of seconds, with ticks where people count: halves of minutes, minutes, quarters of hours.

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
const MOST_TICKS = 6;

/** Ticks from 0 to at least `most` seconds. */
export function timeTicks(most) {
  const step = STEPS.find((each) => most / each <= MOST_TICKS) ?? Math.ceil(most / MOST_TICKS / 86400) * 86400;
  return Array.from({ length: Math.max(Math.ceil(most / step), 1) + 1 }, (_, index) => index * step);
}

/** `0`, `0.05 s`, `30 s`, `1 min 30 s`, `2 h`. */
export function tickWords(seconds) {
  if (seconds === 0) return "0";
  if (seconds < 60) return `${Number(seconds.toPrecision(3))} s`;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.round(seconds % 60)];
  return [hours && `${hours} h`, minutes && `${minutes} min`, rest && `${rest} s`].filter(Boolean).join(" ");
}
