// What changes gained and lost over weeks: by week, DAG tag, cohort and change.

import { cohortAddress, listAddress } from "./address.js";
import * as api from "./api.js";
import { difference } from "./difference.js";
import { h } from "./element.js";
import { figure } from "./figure.js";
import { boundsWords, gainWords } from "./gain_bounds.js";
import { icon } from "./icons.js";
import { here, onReturn, visit } from "./navigation.js";
import { named } from "./printable.js";
import { empty, loadInto } from "./status.js";
import { date } from "./times.js";
import { counted, grouped, hours, money, seconds } from "./units.js";

const WEEKS = [
  [4, "4 weeks"],
  [12, "12 weeks"],
  [52, "A year"],
];
const FIRST_WEEKS = 12;

function readWeeks() {
  const weeks = Number(here().query.weeks);
  return WEEKS.some(([known]) => known === weeks) ? weeks : FIRST_WEEKS;
}

function less(amount, unit) {
  return `${hours(Math.abs(amount))} ${unit} ${amount < 0 ? "more" : "less"}`;
}

function totals({ total, cohorts_in_all: cohorts }) {
  const failed = total.failed_runs ? `, ${counted(total.failed_runs, "run")} that a change made fail among them` : "";
  return h(
    "dl",
    { class: "figures" },
    figure("Queries took", difference(total.seconds), boundsWords(total) ? `90% sure: ${boundsWords(total)}` : "by no change"),
    figure("Losses in that", total.lost_seconds ? seconds(total.lost_seconds) : "none", `runs in which a change lost${failed}`),
    figure("Executors held", less(total.core_hours, "core-hours"), less(total.gib_hours, "GiB-hours")),
    total.cost === null ? "" : figure("Worth", money(total.cost), "by the price of a core-hour"),
    figure("Runs with changes", grouped(total.runs), `of ${counted(cohorts, "cohort")}`),
  );
}

function columns(cost) {
  const heads = [["Queries took", "number"], ["Lost", "number"], ["Core-hours", "number"], ...(cost ? [["Worth", "number"]] : []), ["Runs", "number"]];
  return heads.map(([words, style]) => h("th", { scope: "col", class: style }, words));
}

function cells(saved, cost) {
  return [
    h("td", { class: "number" }, gainWords(saved)),
    h("td", { class: "number" }, saved.lost_seconds ? h("span", { class: "worse" }, seconds(saved.lost_seconds)) : h("span", { class: "faint" }, "–"), saved.failed_runs ? h("div", { class: "faint" }, `${saved.failed_runs} failed`) : ""),
    h("td", { class: "number" }, less(saved.core_hours, "")),
    ...(cost ? [h("td", { class: "number" }, money(saved.cost))] : []),
    h("td", { class: "number" }, grouped(saved.runs)),
  ];
}

function table(title, what, items, name, cost, note = "") {
  const id = `savings-${what.toLowerCase().replace(/\W/g, "-")}`;
  const rows = items.map((item) => h("tr", {}, h("th", { scope: "row", class: "name" }, name(item)), cells(item.saved, cost)));
  return h(
    "section",
    { class: "card", "aria-labelledby": id },
    h("div", { class: "card-head" }, h("h2", { id }, title), note ? h("span", { class: "faint" }, note) : ""),
    h("div", { class: "scroller", role: "region", "aria-label": `${title}, scrolls sideways`, tabindex: "0" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, what), columns(cost))), h("tbody", {}, rows))),
  );
}

function cohortLink(cohort, scope) {
  return h("a", { href: cohortAddress(cohort, scope) }, named(cohort, { limit: 120 }));
}

function ofWeek({ week }) {
  return date(week);
}

/** What a list says that does not have all. */
function of(items, total) {
  return items.length < total ? `${grouped(items.length)} of ${grouped(total)}: those that gained or lost most` : "";
}

function report(found, scope) {
  if (!found.total.runs) return empty(`Nothing is booked since ${ofWeek({ week: found.since })}.`, "A run is booked when a change was in force in it and it was measured. The first run of a cohort is observed.");
  const cost = found.total.cost !== null;
  const change = ({ words, cohort }) => [named(words || "Other sizes than the job asks for", { limit: 200 }), h("div", { class: "faint" }, cohortLink(cohort, scope))];
  const tag = (item) => [item.tag ? named(item.tag, { limit: 80 }) : h("span", { class: "faint" }, "no tag"), h("div", { class: "faint" }, counted(item.cohorts, "cohort"))];
  return [
    totals(found),
    table("By week", "Week of", [...found.weeks].reverse(), ofWeek, cost, "weeks begin on Mondays, UTC"),
    found.tags.some((each) => each.tag) ? table("By team", "DAG tag", found.tags, tag, cost, "a cohort with several tags counts for each") : "",
    table("By cohort", "Cohort", found.cohorts, (item) => cohortLink(item.cohort, scope), cost, of(found.cohorts, found.cohorts_in_all)),
    table("By change", "Change", found.changes, change, cost, "those that gained or lost most"),
  ].filter(Boolean);
}

/** Draws the savings into `main`. */
export function savingsPage(main, scope) {
  const place = h("div", { class: "savings" });
  const load = () => loadInto(place, () => api.savings({ weeks: readWeeks(), dag_id: scope.dag_id }), (found) => report(found, scope), { lines: 10 });
  const select = h("select", { "aria-label": "Time" }, WEEKS.map(([weeks, words]) => h("option", { value: String(weeks) }, words)));
  select.value = String(readWeeks());
  select.addEventListener("change", () => {
    visit({ weeks: Number(select.value) === FIRST_WEEKS ? "" : select.value });
    load();
  });
  onReturn(() => {
    select.value = String(readWeeks());
    load();
  });
  const title = scope.dag_id ? ["Savings of ", named(scope.dag_id, { limit: 120 })] : ["Savings"];
  document.title = "Savings · Spark tuner";
  main.replaceChildren(
    h("a", { class: "back", href: listAddress(scope) }, icon("left"), scope.dag_id ? "Cohorts of the DAG" : "All cohorts"),
    h("div", { class: "title-row" }, h("div", {}, h("h1", {}, ...title), h("p", { class: "faint" }, "What changes gained, as all runs tell by now; what is told of a run may change as later runs tell more.")), h("div", { class: "filters" }, select)),
    place,
  );
  return load();
}
