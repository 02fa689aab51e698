// Where the time goes, by cohort: bars of the largest, and a table of all.

import { cohortBars } from "./cohort_bars.js";
import { cohortTable } from "./cohort_table.js";
import { h } from "./element.js";
import { counted, grouped } from "./units.js";

function about(front) {
  const without = front.cohorts.length - front.pages;
  const pages = without ? ` ${grouped(front.pages)} of ${counted(front.cohorts.length, "cohort")} ${front.pages === 1 ? "has a page" : "have pages"} in this file; the table has all.` : "";
  return `Core-hours are the time in which queries of a run ran, what ran at once counted once, times the cores of its cluster. What could be saved is predicted for the runs that went without a change that the tuner would have made by then, with its interval from the 10% to the 90% quantile.${pages}`;
}

export function cohortSection(front) {
  return h(
    "section",
    { class: "card", "aria-labelledby": "cohorts-title" },
    h("div", { class: "card-head" }, h("h2", { id: "cohorts-title" }, "Where the time goes")),
    h("div", { class: "card-inside" }, h("p", { class: "faint" }, about(front)), cohortBars(front.cohorts), cohortTable(front)),
  );
}
