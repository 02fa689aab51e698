// Logs that were not used, or not whole, by the reason; and what failed on the way.

import { h } from "./element.js";
import { named } from "./printable.js";
import { counted } from "./units.js";

const MOST_OPEN = 5;

function names(group) {
  const more = group.logs - group.named.length;
  return h("ul", { class: "bare mono logs" }, group.named.map((log) => h("li", {}, named(log, { limit: 300 }))), more > 0 ? h("li", { class: "faint" }, `and ${more} more`) : "");
}

function entry(group) {
  const why = named(group.why, { limit: 400 });
  if (group.logs <= MOST_OPEN) return h("li", {}, h("p", {}, why), names(group));
  return h("li", {}, h("details", {}, h("summary", {}, h("strong", {}, counted(group.logs, "log")), ": ", why), names(group)));
}

function problems(front) {
  if (!front.problems.length) return "";
  return h("div", {}, h("h3", {}, "What failed on the way"), h("ul", { class: "bare" }, front.problems.map((each) => h("li", {}, named(each, { limit: 500 })))));
}

export function unreadSection(front) {
  if (!front.unread.length && !front.problems.length) return "";
  const logs = front.unread.length ? h("ul", { class: "bare unread" }, front.unread.map(entry)) : "";
  return h(
    "section",
    { class: "card", "aria-labelledby": "unread-title" },
    h("div", { class: "card-head" }, h("h2", { id: "unread-title" }, "What could not be used"), h("span", { class: "faint" }, counted(front.unread_in_all, "log"))),
    h("div", { class: "card-inside" }, logs, problems(front)),
  );
}
