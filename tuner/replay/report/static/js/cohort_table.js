// All cohorts of the replay, those with the most core-hours first; searched, and shown some at a time.

import { cohortAddress } from "./address.js";
import * as api from "./api.js";
import { h } from "./element.js";
import { hours, interval, queryTime } from "./hours.js";
import { icon } from "./icons.js";
import { moreButton } from "./more.js";
import { named } from "./printable.js";
import { time } from "./times.js";
import { counted, grouped, share } from "./units.js";

const LIMIT = 25;
const HEADS = [["Cohort"], ["Runs", "number"], ["Core-hours", "number"], ["Query time", "number"], ["Core-hours to save", "number"], ["Query time to save", "number"], ["In the next run", "number"], ["Advised", "number"], ["Last run"]];

const none = () => h("span", { class: "faint" }, "–");

function live({ live: steered, as_live: same }) {
  return steered ? h("div", { class: "faint" }, `${grouped(steered)} steered, ${grouped(same)} decided as here`) : "";
}

function savedHours({ saved, core_hours: all, saved_core_hours_if_unset: unset }) {
  const more = unset ? h("div", { class: "faint" }, `${hours(unset)} if you take out settings`) : "";
  if (!saved) return [none(), more];
  const part = all > 0 ? ` (${share(saved.core_hours / all)})` : "";
  return [h("span", { class: saved.core_hours > 0 ? "better" : "" }, hours(saved.core_hours), part), h("div", { class: "faint" }, interval(saved.least_core_hours, saved.most_core_hours, hours)), more];
}

function savedTime({ saved }) {
  return saved ? [queryTime(saved.seconds), h("div", { class: "faint" }, interval(saved.least_seconds, saved.most_seconds, queryTime))] : none();
}

function nextTime({ next_saved: next }) {
  return next ? [queryTime(next.gain), h("div", { class: "faint" }, interval(next.before - next.high, next.before - next.low, queryTime))] : none();
}

function row(item) {
  const name = named(item.cohort, { limit: 160 });
  const unmeasured = item.runs - item.measured;
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, item.page === null ? name : h("a", { href: cohortAddress(item.cohort) }, name), live(item)),
    h("td", { class: "number" }, grouped(item.runs), unmeasured ? h("div", { class: "faint" }, `${grouped(unmeasured)} not measured`) : ""),
    h("td", { class: "number" }, hours(item.core_hours)),
    h("td", { class: "number" }, queryTime(item.query_seconds)),
    h("td", { class: "number" }, savedHours(item)),
    h("td", { class: "number" }, savedTime(item)),
    h("td", { class: "number" }, nextTime(item)),
    h("td", { class: "number" }, item.advised ? grouped(item.advised) : none()),
    h("td", {}, time(item.last_at)),
  );
}

export function cohortTable(front) {
  const body = h("tbody", {});
  const more = h("div", {});
  const total = h("p", { class: "faint", role: "status" });
  const draw = async (search) => {
    const found = await api.cohorts({ search, limit: LIMIT });
    total.textContent = counted(found.total, "cohort");
    body.replaceChildren(...found.items.map(row));
    const add = async (offset) => {
      const next = await api.cohorts({ search, limit: LIMIT, offset });
      body.append(...next.items.map(row));
      return next.items.length;
    };
    more.replaceChildren(moreButton(found.items.length, found.total, add));
  };
  const search = h("input", { type: "search", placeholder: "Search cohorts", "aria-label": "Search cohorts", autocomplete: "off", maxlength: "200" });
  search.addEventListener("input", () => draw(search.value));
  draw("");
  const heads = HEADS.map(([words, style]) => h("th", { scope: "col", class: style }, words));
  const filters = front.cohorts.length > LIMIT ? h("div", { class: "filters", role: "search" }, h("span", { class: "with-icon" }, icon("search"), search)) : "";
  return h(
    "div",
    { class: "cohort-table" },
    h("div", { class: "title-row" }, h("h3", {}, "All cohorts"), total, filters),
    h("div", { class: "scroller", role: "region", "aria-label": "Cohorts, scrolls sideways", tabindex: "0" }, h("table", { class: "cohorts" }, h("caption", { class: "unseen" }, "Cohorts, most core-hours first"), h("thead", {}, h("tr", {}, heads)), body)),
    more,
  );
}
