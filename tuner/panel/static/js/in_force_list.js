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

/** What is in place of the job's own, or was left out, and why. */
function withWhy(each) {
  return h("li", {}, named(each.words, { limit: 120 }), h("div", { class: "faint" }, named(each.why, { limit: 200 })));
}

function withWhys(found) {
  return found.length ? h("ul", { class: "bare" }, found.map(withWhy)) : "";
}

/** All that a run had in force: changes, and sizes in place of its job's own, with why; and what it was without, to compare. */
export function inForceOfRun(run) {
  const nothing = run.in_force.length || run.sizes.length ? "" : h("span", { class: "faint" }, "nothing");
  const without = run.left_out.length ? h("div", {}, h("div", { class: "faint" }, "Left out once:"), withWhys(run.left_out)) : "";
  return [nothing, inForceList(run.in_force), withWhys(run.sizes), without].flat();
}
