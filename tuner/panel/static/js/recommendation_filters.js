// Which recommendations a person looks at: those that wait, that changed lately, that may harm, that are in force or not.

import { h } from "./element.js";
import { changedLately } from "./lately.js";
import { IN_FORCE } from "./standing.js";

/** By name: what it is called, and whether it has a recommendation of a cohort. */
export const FILTERS = {
  all: { words: "All", has: () => true },
  waits: { words: "Wait for a person", has: (item) => item.waits },
  changed: { words: "Changed lately", has: changedLately },
  harm: { words: "May harm", has: (item) => (item.waits || IN_FORCE.includes(item.standing)) && item.risks.some((risk) => risk.may_harm) },
  in_force: { words: "In force", has: (item) => IN_FORCE.includes(item.standing) },
  out: { words: "Not in force", has: (item) => !item.waits && !IN_FORCE.includes(item.standing) },
};

export function filtered(items, filter, cohort) {
  return items.filter((item) => FILTERS[filter].has(item, cohort));
}

/** A button for each filter that has any; `choose(name)` is called with the one pressed. */
export function filterButtons(items, chosen, cohort, choose) {
  const shown = Object.entries(FILTERS).map(([name, { words }]) => ({ name, words, number: filtered(items, name, cohort).length })).filter(({ name, number }) => number || name === chosen);
  const button = ({ name, words, number }) => h("button", { type: "button", class: "small chip", "aria-pressed": String(name === chosen), "data-filter": name, on: { click: () => choose(name) } }, words, h("span", { class: "count" }, String(number)));
  return h("div", { class: "chips", role: "group", "aria-label": "Show recommendations" }, shown.map(button));
}
