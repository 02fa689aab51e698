// A run's facts, as the chart's tip and screen readers have them.

import { lessOrMore } from "./difference.js";
import { h } from "./element.js";
import { clipped, named } from "./printable.js";
import { gainOf } from "./run_kind.js";
import { RUN_STATES, STANDINGS } from "./standing.js";
import { moment } from "./times.js";
import { seconds } from "./units.js";

const MOST_CHANGES = 6;

function took(run) {
  return run.query_seconds === null ? "not measured" : seconds(run.query_seconds);
}

function inForceWords(run) {
  return run.in_force.length ? "In force" : "Nothing in force";
}

function against(run) {
  return run.band === null ? "" : `expected ${seconds(run.band.expected)} (${seconds(run.band.low)} to ${seconds(run.band.high)}) with nothing in force`;
}

export function inWords(run) {
  const changes = run.in_force.map((each) => `${clipped(each.words, 80)} (${STANDINGS[each.standing].words.toLowerCase()})`);
  const more = changes.length > MOST_CHANGES ? [`and ${changes.length - MOST_CHANGES} more`] : [];
  return [
    moment(run.started_at),
    RUN_STATES[run.state].words.toLowerCase(),
    took(run),
    against(run),
    changes.length ? `in force: ${[...changes.slice(0, MOST_CHANGES), ...more].join(", ")}` : "nothing in force",
  ]
    .filter(Boolean)
    .join("; ");
}

/** The elements of the chart's tip. */
export function tipOf(run, here) {
  const shown = run.in_force.slice(0, MOST_CHANGES);
  return [
    h("p", { class: "tip-when" }, moment(run.started_at), here ? " · this run" : ""),
    h("p", { class: "tip-took" }, took(run), gainOf(run) === null ? "" : h("span", { class: "tip-gain" }, lessOrMore(gainOf(run)))),
    run.band ? h("p", { class: "faint" }, against(run)) : "",
    h("p", {}, `${RUN_STATES[run.state].words}. ${inForceWords(run)}${run.in_force.length ? ":" : "."}`),
    shown.length
      ? h("ul", {}, shown.map((each) => h("li", {}, named(each.words, { limit: 80 }), ` · ${STANDINGS[each.standing].words.toLowerCase()}`)))
      : "",
    run.in_force.length > shown.length ? h("p", { class: "faint" }, `and ${run.in_force.length - shown.length} more`) : "",
  ].filter(Boolean);
}
