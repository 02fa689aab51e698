// The front page of a report: where the time goes, what would save most of it, how right that was, what was not read.

import { backtestSection } from "./backtest_view.js";
import { cohortSection } from "./cohort_section.js";
import { h } from "./element.js";
import { frontFigures } from "./front_figures.js";
import { empty } from "./status.js";
import { time } from "./times.js";
import { insightSection } from "./top_insights.js";
import { newSection, topSection } from "./top_recommendations.js";
import { bytes, counted } from "./units.js";
import { unreadSection } from "./unread_view.js";
import { unusedSection } from "./unused_section.js";

function subtitle(front) {
  const { total } = front;
  const of = total ? [`, ${counted(total.runs, "run")} of ${counted(front.cohorts.length, "cohort")}, from `, time(total.first_at), " to ", time(total.last_at)] : "";
  return h("p", { class: "faint" }, `${counted(front.logs, "log")} (${bytes(front.size_bytes)})`, of, ". Written ", time(front.written_at), ".");
}

function nothing() {
  return empty(
    "No run was replayed.",
    "None of the logs given tells of a Spark application with SQL queries, or none was chosen. What could not be read stands below, with the reasons.",
  );
}

/** Draws the page of `front` into `main`. */
export function frontPage(main, front) {
  document.title = "Spark tuner: replay";
  const sections = front.total ? [frontFigures(front), cohortSection(front), topSection(front), newSection(front), insightSection(front), unusedSection(front), backtestSection(front)] : [nothing()];
  main.replaceChildren(
    h("div", { class: "title-row" }, h("div", {}, h("h1", {}, "What the tuner would have done"), subtitle(front))),
    h("div", { class: "report" }, sections, unreadSection(front)),
  );
}
