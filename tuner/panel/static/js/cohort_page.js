// A cohort: its state and mode, the chart of its runs, and what is known and can be done, in tabs.

import { allPages } from "./all_pages.js";
import { announce } from "./announce.js";
import * as api from "./api.js";
import { auditTrail } from "./audit.js";
import { chartSection } from "./chart_section.js";
import { cohortHeader } from "./cohort_header.js";
import { comparedRuns } from "./compared_runs.js";
import { h } from "./element.js";
import { figures } from "./figures.js";
import { drawGlance } from "./glance.js";
import { insightList } from "./insights.js";
import { here, onReturn, visit } from "./navigation.js";
import { clipped } from "./printable.js";
import { queriesAsked, queriesPanel } from "./queries.js";
import { recommendationList } from "./recommendations.js";
import { runsPanel } from "./runs_panel.js";
import { skeleton } from "./status.js";
import { tabs } from "./tabs.js";

const MOST_RUNS = 200;
const FIRST_TAB = "recommendations";

function pageTabs(page, loaded) {
  const entries = [
    { name: FIRST_TAB, words: "Recommendations", fill: (panel) => recommendationList(panel, page) },
    { name: "queries", words: "Queries and plans", fill: (panel) => queriesPanel(panel, page) },
    { name: "insights", words: "Insights", fill: (panel) => insightList(panel, page) },
    { name: "runs", words: "Runs", fill: (panel) => runsPanel(panel, page, loaded) },
    { name: "audit", words: "Audit", fill: (panel) => auditTrail(panel, page) },
  ];
  return tabs("Parts of the cohort", entries, {
    first: here().part || (page.comparison ? "runs" : ""),
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
  page.tabs.select(here().part || FIRST_TAB);
}

/** Asks once, and again only after a failure. */
function once(ask) {
  let asked = null;
  return () => {
    asked ??= ask().catch((error) => {
      asked = null;
      throw error;
    });
    return asked;
  };
}

/** How many there are behind the tabs that nobody has opened; a failure shows when one does. */
function countUnopened(page) {
  for (const [tab, ask] of Object.entries({ insights: api.insights, audit: api.audit })) {
    if (page.tabs.opened(tab)) continue;
    ask(page.name, { limit: 1, offset: 0 }).then(({ total }) => page.tabs.count(tab, total)).catch(() => {});
  }
  page.recommendations().then((items) => page.tabs.count("recommendations", items.length)).catch(() => {});
}

/** Draws the page of `cohort` into `main`. */
export async function cohortPage(main, name, scope) {
  const loaded = once(() => api.runs(name, { limit: MOST_RUNS }));
  // Asked for at once, so that what shows runs waits for one answer and not for two after another; it shows the failures.
  loaded().catch(() => {});
  const cohort = await api.cohort(name);
  const top = h("div", { class: "cohort-top" });
  const glance = h("section", { class: "glance-place", "aria-labelledby": "glance-title" }, skeleton(2));

  const page = { name, scope, cohort, run: null, comparison: comparedRuns(), filter: null, runs: loaded };
  page.ask = () => {
    page.recommendations = once(() => allPages((paged) => api.recommendations(name, paged)));
  };
  page.drawTop = () => {
    top.replaceChildren(cohortHeader(page), glance, figures(page.cohort));
    drawGlance(glance, page);
  };
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
  /** After a person did something: what the server says now. */
  page.changed = async (message) => {
    announce(clipped(message, 300));
    page.tabs.stale("audit");
    page.ask();
    page.cohort = await api.cohort(name);
    page.drawTop();
    countUnopened(page);
  };

  page.ask();
  page.drawTop();
  const chart = chartSection(page, loaded);
  page.counted = (tab, number) => page.tabs?.count(tab, number);
  page.tabs = pageTabs(page, loaded);
  page.tabs.count("queries", cohort.queries);
  page.tabs.count("runs", cohort.runs);
  countUnopened(page);
  main.replaceChildren(top, chart, page.tabs.element);
  onReturn(() => follow(page));
}
