// A run's facts, as the chart's tip and screen readers have them.

import { lessOrMore } from "./difference.js";
import { h } from "./element.js";
import { clipped, named } from "./printable.js";
import { gainOf } from "./run_kind.js";
import { STANDINGS, runState } from "./standing.js";
import { moment } from "./times.js";
import { counted, seconds } from "./units.js";

const MOST_CHANGES = 6;

function took(run) {
  return run.query_seconds === null ? "not measured" : seconds(run.query_seconds);
}

/** What was in force, a line each: changes with where they stand, and sizes in place of the job's own. */
function inForce(run) {
  const changes = run.in_force.map((each) => ({ words: each.words, stands: STANDINGS[each.standing].words.toLowerCase() }));
  return [...changes, ...run.sizes.map(({ words }) => ({ words, stands: "" }))];
}

function against(run) {
  return run.band === null ? "" : `expected ${seconds(run.band.expected)} (${seconds(run.band.low)} to ${seconds(run.band.high)}) with nothing in force`;
}

export function inWords(run) {
  const changes = inForce(run).map(({ words, stands }) => clipped(words, 80) + (stands ? ` (${stands})` : ""));
  const more = changes.length > MOST_CHANGES ? [`and ${changes.length - MOST_CHANGES} more`] : [];
  return [
    moment(run.started_at),
    runState(run.state, run.ended_at).words.toLowerCase() + (run.failure ? `: ${clipped(run.failure, 200)}` : ""),
    took(run),
    against(run),
    changes.length ? `in force: ${[...changes.slice(0, MOST_CHANGES), ...more].join(", ")}` : "nothing in force",
    leftOut(run),
  ]
    .filter(Boolean)
    .join("; ");
}

/** How many changes it was without on purpose; "" for none. */
function leftOut({ left_out: without }) {
  return without.length ? `${counted(without.length, "change")} left out once, to compare` : "";
}

/** The elements of the chart's tip. */
export function tipOf(run, here) {
  const found = inForce(run);
  const shown = found.slice(0, MOST_CHANGES);
  return [
    h("p", { class: "tip-when" }, moment(run.started_at), here ? " · this run" : ""),
    h("p", { class: "tip-took" }, took(run), gainOf(run) === null ? "" : h("span", { class: "tip-gain" }, lessOrMore(gainOf(run)))),
    run.band ? h("p", { class: "faint" }, against(run)) : "",
    h("p", {}, runState(run.state, run.ended_at).words, run.failure ? [": ", named(run.failure, { limit: 200 })] : "", `. ${found.length ? "In force:" : "Nothing in force."}`),
    shown.length ? h("ul", {}, shown.map(({ words, stands }) => h("li", {}, named(words, { limit: 80 }), stands ? ` · ${stands}` : ""))) : "",
    found.length > shown.length ? h("p", { class: "faint" }, `and ${found.length - shown.length} more`) : "",
    leftOut(run) ? h("p", {}, leftOut(run)) : "",
  ].filter(Boolean);
}
