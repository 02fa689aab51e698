// One query's page: its seconds now and without what is in force, and its plans.

import * as api from "./api.js";
import { difference } from "./difference.js";
import { h } from "./element.js";
import { figure } from "./figure.js";
import { icon } from "./icons.js";
import { addressWith, isPlain } from "./navigation.js";
import { plansOf } from "./plan_view.js";
import { named } from "./printable.js";
import { empty, loadInto } from "./status.js";
import { seconds, share } from "./units.js";

function figures(item) {
  if (!item) return "";
  const { latest_seconds: latest, baseline_seconds: baseline, gained_seconds: gained, share: part } = item;
  return h(
    "dl",
    { class: "figures" },
    figure("Latest run", latest === null ? "–" : seconds(latest), latest === null ? "did not run it" : part === null ? "" : `${share(part)} of the run's query time`),
    figure("With nothing in force", baseline === null ? "–" : seconds(baseline), baseline === null ? "not known: it is new" : "expected, on that run's machine and input"),
    figure("Gained", gained === null ? "–" : difference(gained, { of: baseline }), gained === null ? "nothing was in force, or nothing is known without it" : "in the latest run"),
  );
}

function backLink(page) {
  const back = (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    page.openQuery(null);
  };
  return h("a", { class: "back", href: addressWith({ query: null }, "queries"), on: { click: back } }, icon("left"), "All queries");
}

/** Fills `place` with the page of a query of the cohort; the focus goes to its name, or is to be kept where it is. */
export function queryView(place, fingerprint, page, { keepFocus = false } = {}) {
  const heading = h("h2", { tabindex: "-1" }, "Query");
  const body = h("div", {});
  const view = h("div", { class: "query-view" }, h("div", {}, backLink(page)), h("div", {}, heading, h("p", { class: "fingerprint" }, named(fingerprint, { limit: 60 }))), body);
  place.replaceChildren(view);
  if (!keepFocus) heading.focus();
  const draw = (comparison) => {
    heading.replaceChildren(named(comparison.query.name, { limit: 200 }));
    const { before, after, item } = comparison;
    if (!before && !after) return [figures(item), empty(item ? "No plan was kept for this query." : "No run of this cohort has this query.", "Plans are kept for the newest runs, where they are not too large.")].filter(Boolean);
    return [figures(item), plansOf(comparison)].filter(Boolean);
  };
  return loadInto(body, () => api.plan(page.name, fingerprint), draw, { lines: 10 });
}
