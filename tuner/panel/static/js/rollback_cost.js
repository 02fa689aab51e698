// What rolling back costs a run, said before it is done.

import { isNone, lessOrMore } from "./difference.js";
import { headline, intervalWords } from "./gain_words.js";

function moreOrLess(cost) {
  return isNone(cost) ? "as long as now" : `about ${lessOrMore(-cost)}`;
}

function measuredWords(known, all) {
  const cost = known.reduce((sum, { gain }) => sum + gain, 0);
  // What makes one night slow makes all its queries slow: ends of intervals add up.
  const sure = known.every(({ low }) => low !== null);
  const [low, high] = ["low", "high"].map((end) => known.reduce((sum, each) => sum + each[end], 0));
  const which = all === 1 ? "it" : known.length === all ? `these ${all} changes` : known.length === 1 ? "the one that was measured" : `the ${known.length} that were measured`;
  return `Without ${which} a run takes ${moreOrLess(cost)}${sure ? ` (${intervalWords(-high, -low)})` : ""}, by what was measured${sure ? "" : " in the latest run"}.`;
}

/** What runs will take without these recommendations, in a sentence or two. */
export function rollbackCost(items) {
  const found = items.map(headline);
  const known = found.filter((each) => each?.kind === "measured");
  const unknown = found.filter((each) => each?.kind !== "measured");
  const told = known.length ? [measuredWords(known, items.length)] : [];
  if (!unknown.length) return told.join(" ");
  const predicted = unknown.filter(Boolean).reduce((sum, { gain }) => sum + gain, 0);
  const which = items.length === 1 ? "it gains" : known.length ? `the other ${unknown.length === 1 ? "one gains" : `${unknown.length} gain`}` : "they gain";
  const foretold = unknown.some(Boolean) ? ` (predicted: ${lessOrMore(predicted)})` : "";
  return [...told, `What ${which} is not known: no run has measured it${foretold}.`].join(" ");
}
