// What cohorts ask for of memory and executors, and never use.

import { h } from "./element.js";
import { hours } from "./hours.js";
import { named } from "./printable.js";
import { counted, grouped, money, share } from "./units.js";

const HEADS = [["Cohort"], ["Runs", "number"], ["GiB-hours held", "number"], ["Never in use, where Spark looked", "number"], ["Core-hours held", "number"], ["Ran no task", "number"], ["Executors", "number"], ["Would do", "number"]];

const none = () => h("span", { class: "faint" }, "–");

const part = (some, all) => `${hours(some)} (${share(some / all)})`;

function row(item) {
  const { executors, needed_executors: needed } = item;
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, named(item.cohort, { limit: 160 })),
    h("td", { class: "number" }, grouped(item.runs)),
    h("td", { class: "number" }, hours(item.held_gib_hours)),
    h("td", { class: "number" }, item.sampled_gib_hours > 0 ? `${hours(item.unused_gib_hours)} of ${hours(item.sampled_gib_hours)} (${share(item.unused_gib_hours / item.sampled_gib_hours)})` : none()),
    h("td", { class: "number" }, hours(item.held_core_hours)),
    h("td", { class: "number" }, item.held_core_hours > 0 ? part(item.idle_core_hours, item.held_core_hours) : none()),
    h("td", { class: "number" }, grouped(executors)),
    h("td", { class: "number" }, needed > 0 && needed < executors ? h("strong", {}, grouped(needed)) : needed > 0 ? grouped(needed) : none()),
  );
}

function about(total, price) {
  const worth = price === null ? "" : `, worth ${money(total.idle_core_hours * price)}`;
  const idle = total.held_core_hours > 0 ? `; ${part(total.idle_core_hours, total.held_core_hours)} of these ran no task${worth}` : "";
  const cores = `Executors of ${counted(total.runs, "run")} held ${hours(total.held_core_hours)} core-hours${idle}. `;
  const memory = total.sampled_gib_hours > 0 ? `Of ${hours(total.sampled_gib_hours)} GiB-hours in which Spark looked, ${part(total.unused_gib_hours, total.sampled_gib_hours)} were never in use (garbage counts as use). ` : "";
  return `${cores}${memory}With as many executors as would do, no run takes over 2% longer.`;
}

export function unusedSection(front) {
  if (!front.unused.length) return "";
  const [total, ...cohorts] = front.unused;
  const heads = HEADS.map(([words, style]) => h("th", { scope: "col", class: style }, words));
  return h(
    "section",
    { class: "card", "aria-labelledby": "unused-title" },
    h("div", { class: "card-head" }, h("h2", { id: "unused-title" }, "Asked for and never used")),
    h(
      "div",
      { class: "card-inside" },
      h("p", { class: "faint" }, about(total, front.core_hour_price)),
      h("div", { class: "scroller", role: "region", "aria-label": "What is never used, scrolls sideways", tabindex: "0" }, h("table", { class: "cohorts" }, h("caption", { class: "unseen" }, "Cohorts, most idle core-hours first"), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, cohorts.map(row)))),
    ),
  );
}
