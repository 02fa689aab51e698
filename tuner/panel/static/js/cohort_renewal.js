// What a cohort's page asks of the server, once for all parts that show it, and anew when that may have changed.

import { allPages } from "./all_pages.js";
import { announce } from "./announce.js";
import * as api from "./api.js";
import { clipped } from "./printable.js";
import { whenSeenAgain } from "./seen_again.js";

const MOST_RUNS = 200;
const OLD_MS = 5 * 60_000;

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

/** Asks for the cohort's newest runs. */
export function runsOf(name) {
  return once(() => api.runs(name, { limit: MOST_RUNS }));
}

function recommendationsOf(name) {
  return once(() => allPages((paged) => api.recommendations(name, paged)));
}

/** What another run, or the end of one, changes. */
function newest(cohort) {
  const { runs, last_run_at: at, last_run_state: state, last_round_at: round, last_ended_state: ended, last_has_ended: hasEnded } = cohort;
  return JSON.stringify([runs, at, state, hasEnded, round, ended, cohort.latest_seconds]);
}

/** How many there are behind the tabs that nobody has opened; a failure shows when one does. */
export function countUnopened(page) {
  for (const [tab, ask] of Object.entries({ insights: api.insights, audit: api.audit })) {
    if (page.tabs.opened(tab)) continue;
    ask(page.name, { limit: 1, offset: 0 }).then(({ total }) => page.tabs.count(tab, total)).catch(() => {});
  }
  page.recommendations().then(({ total }) => page.tabs.count("recommendations", total)).catch(() => {});
}

/** Gives `page` what it needs to ask: `recommendations`, `renew` and `changed`; it has `runs`, `cohort` and `tabs`. */
export function renewable(page) {
  page.recommendations = recommendationsOf(page.name);
  /** What the server says now: all parts of the page are of one hour. */
  page.renew = async () => {
    const before = newest(page.cohort);
    page.recommendations = recommendationsOf(page.name);
    page.cohort = await api.cohort(page.name);
    if (newest(page.cohort) !== before) anotherRun(page);
    page.drawTop();
    countUnopened(page);
  };
  /** After a person did something; what came of a mode stays beside it until he does something else. */
  page.changed = async (message, { ofMode = false } = {}) => {
    announce(clipped(message, 300));
    page.modeSaid = ofMode ? message : "";
    page.tabs.stale("audit");
    await page.renew();
  };
}

function anotherRun(page) {
  Object.assign(page, { runs: runsOf(page.name), run: null, queryList: null });
  page.tabs.count("queries", page.cohort.queries);
  page.tabs.count("runs", page.cohort.runs);
  page.drawChart();
  for (const tab of ["queries", "insights", "runs"]) page.tabs.stale(tab, { keepFocus: true });
}

/** Renews a page that was left open, when somebody comes back to it: but not below what he is about to do (`isBusy`). */
export function renewWhenSeenAgain(page, isBusy) {
  const renew = async () => {
    if (isBusy()) return;
    const before = JSON.stringify(await page.recommendations());
    await page.renew();
    if (JSON.stringify(await page.recommendations()) === before || isBusy()) return;
    for (const tab of ["recommendations", "audit"]) page.tabs.stale(tab, { keepFocus: true });
  };
  // What fails leaves the page as it is: it was fine to look at.
  whenSeenAgain(() => renew().catch(() => {}), OLD_MS);
}
