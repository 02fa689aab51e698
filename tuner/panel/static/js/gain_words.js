// What a recommendation gains, as one figure: by what its runs measured where they did, else as predicted.

import { lessOrMore } from "./difference.js";
import { seconds } from "./units.js";

/** `{kind, gain, low, high}`: `kind` is measured or predicted, an unknown interval null; null where nothing is known. */
export function headline({ measured, gained_seconds: gained, predicted }) {
  if (measured) return { kind: "measured", gain: measured.seconds, low: measured.low, high: measured.high };
  if (gained !== null && gained !== undefined) return { kind: "measured", gain: gained, low: null, high: null };
  return predicted ? { kind: "predicted", gain: predicted.gain, low: predicted.before - predicted.high, high: predicted.before - predicted.low } : null;
}

/** `10.2 s to 13.9 s`; with less and more where it holds both. */
export function intervalWords(low, high) {
  const [one, other] = Math.abs(low) <= Math.abs(high) ? [low, high] : [high, low];
  if (low < 0 && high > 0) return `${lessOrMore(low)} to ${lessOrMore(high)}`;
  return `${seconds(Math.abs(one))} to ${seconds(Math.abs(other))}`;
}

/** `over 99% sure`, as the core's sentences say it: no number of runs tells for certain. */
export function sureWords(probability) {
  return probability > 0.99 ? "over 99% sure" : `${Math.round(100 * probability)}% sure`;
}
