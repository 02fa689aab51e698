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
