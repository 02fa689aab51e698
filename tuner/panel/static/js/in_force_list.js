// What is in force, action by action, with where each stands.

import { h } from "./element.js";
import { named } from "./printable.js";
import { STANDINGS } from "./standing.js";

function item(each) {
  return h("li", {}, named(each.words, { limit: 120 }), h("span", { class: "faint" }, ` · ${STANDINGS[each.standing].words.toLowerCase()}`));
}

/** The first `most` of them, the others to unfold; `nothing` where there are none. */
export function inForceList(found, { most = 3, nothing = "" } = {}) {
  if (!found.length) return nothing;
  const rest = found.slice(most);
  return [h("ul", { class: "bare" }, found.slice(0, most).map(item)), rest.length ? h("details", {}, h("summary", {}, `${rest.length} more`), h("ul", { class: "bare" }, rest.map(item))) : ""];
}

function sized(each) {
  return h("li", {}, named(each.words, { limit: 120 }), h("div", { class: "faint" }, named(each.why, { limit: 200 })));
}

/** All that a run had in force: changes, and sizes in place of its job's own, with why. */
export function inForceOfRun(run) {
  if (!run.in_force.length && !run.sizes.length) return h("span", { class: "faint" }, "nothing");
  return [inForceList(run.in_force), run.sizes.length ? h("ul", { class: "bare" }, run.sizes.map(sized)) : ""].flat();
}
