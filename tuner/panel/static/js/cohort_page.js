// A cohort: its state and mode, the chart of its runs, and what is known and can be done, in tabs.

import * as api from "./api.js";
import { auditTrail } from "./audit.js";
import { chartSection } from "./chart_section.js";
import { cohortHeader } from "./cohort_header.js";
import { countUnopened, renewWhenSeenAgain, renewable, runsOf } from "./cohort_renewal.js";
import { comparedRuns } from "./compared_runs.js";
import { h } from "./element.js";
import { figures } from "./figures.js";
import { drawGlance } from "./glance.js";
import { insightList } from "./insights.js";
import { here, onReturn, visit } from "./navigation.js";
import { queriesAsked, queriesPanel } from "./queries.js";
import { listAtFirst, recommendationList } from "./recommendations.js";
import { runsPanel } from "./runs_panel.js";
import { skeleton } from "./status.js";
import { tabs } from "./tabs.js";

const FIRST_TAB = "recommendations";

/** The tab that the address asks for. */
function tabAsked(page) {
  return here().part || (page.comparison ? "runs" : FIRST_TAB);
}

function pageTabs(page) {
  const entries = [
    { name: FIRST_TAB, words: "Recommendations", fill: (panel) => recommendationList(panel, page) },
    { name: "queries", words: "Queries and plans", fill: (panel, how) => queriesPanel(panel, page, how) },
    { name: "insights", words: "Insights", fill: (panel) => insightList(panel, page) },
    { name: "runs", words: "Runs", fill: (panel, how) => runsPanel(panel, page, how) },
    { name: "audit", words: "Audit", fill: (panel) => auditTrail(panel, page) },
  ];
  return tabs("Parts of the cohort", entries, {
    first: tabAsked(page),
    chosen: (name, { walking }) => visit({}, { part: name, as: walking ? "tabs" : "" }),
  });
}

/** Shows what the address says again, where Back or Forward changed it. */
function follow(page) {
  if (JSON.stringify(queriesAsked()) !== page.queriesShown) {
    page.leftQuery = page.query;
    page.tabs.stale("queries");
  }
  const compared = comparedRuns();
  if (compared?.before !== page.comparison?.before || compared?.after !== page.comparison?.after) {
    page.comparison = compared;
    page.tabs.stale("runs");
  }
  page.tabs.select(tabAsked(page));
}

/** The ways from one part of the page to another. */
function addWays(page) {
  page.openRecommendations = (filter) => {
    page.filter = filter;
    page.tabs.stale(FIRST_TAB);
    visit({}, { part: FIRST_TAB });
    page.tabs.select(FIRST_TAB);
  };
  page.openRuns = (key = null) => {
    page.run = key;
    page.comparison = null;
    visit({ before: null, after: null }, { part: "runs" });
    page.tabs.stale("runs");
    page.tabs.select("runs", { focus: key === null });
  };
  /** The page of a query, or with null the list of all. */
  page.openQuery = (query) => {
    page.leftQuery = page.query;
    visit({ query: query?.fingerprint ?? null }, { part: "queries" });
    page.tabs.stale("queries");
    page.tabs.select("queries");
  };
}

/** Draws the page of `cohort` into `main`. */
export async function cohortPage(main, name, scope) {
  const runs = runsOf(name);
  // Asked for at once, so that what shows runs waits for one answer and not for two after another; it shows the failures.
  runs().catch(() => {});
  const cohort = await api.cohort(name);
  const top = h("div", { class: "cohort-top" });
  const glance = h("section", { class: "glance-place", "aria-labelledby": "glance-title" }, skeleton(2));

  const page = { name, scope, cohort, runs, run: null, comparison: comparedRuns(), filter: null, list: listAtFirst(), modeSaid: "", underWay: 0 };
  page.drawTop = () => {
    const focused = document.activeElement;
    top.replaceChildren(cohortHeader(page), glance, figures(page.cohort));
    // A form that is open stays, but is put back.
    if (top.contains(focused)) focused.focus();
    drawGlance(glance, page);
  };
  renewable(page);
  addWays(page);

  page.drawTop();
  let chart = chartSection(page);
  page.drawChart = () => {
    const drawn = chartSection(page, { open: chart.querySelector("details").open });
    chart.replaceWith(drawn);
    chart = drawn;
  };
  page.counted = (tab, number) => page.tabs?.count(tab, number);
  page.tabs = pageTabs(page);
  page.tabs.count("queries", cohort.queries);
  page.tabs.count("runs", cohort.runs);
  countUnopened(page);
  main.replaceChildren(top, chart, page.tabs.element);
  onReturn(() => follow(page));
  renewWhenSeenAgain(page, () => page.underWay > 0 || main.querySelector("form, .choice-bar") !== null);
}
