// What all listed cohorts come to, in figures; two of them are filters.

import { h } from "./element.js";
import { lessOrMore } from "./difference.js";
import { figure } from "./figure.js";
import { boundsWords } from "./gain_bounds.js";
import { counted, grouped, hours, money, seconds, share } from "./units.js";

/** A number of cohorts or changes that is a filter, too: `name` is that of the filter, `none` is said where there are none. */
function filterFigure(label, number, name, none, asked, ask) {
  if (!number && !asked[name]) return figure(label, grouped(number), none);
  const press = h("button", { type: "button", class: "link", "data-total": name, "aria-pressed": String(Boolean(asked[name])), on: { click: () => ask({ [name]: asked[name] ? "" : "true" }, { focus: [`[data-total=${name}]`, ".scroller"] }) } }, grouped(number));
  return figure(label, press, asked[name] ? "shown alone; press for all" : "press to show them alone");
}

function gained({ gained: gain, tuned, query_seconds: took }) {
  if (!tuned) return figure("Gained by their changes", "–", "known once runs with changes are measured");
  const without = took + gain.seconds;
  const part = without > 0 && gain.seconds > 0 ? `${share(gain.seconds / without)}; ` : "";
  return figure("Gained by their changes", lessOrMore(gain.seconds), `${part}${boundsWords(gain) || "exactly"}, in ${counted(tuned, "cohort")}`);
}

/** `totals` of `total` cohorts; `asked` are the filters, `ask(change, {focus})` asks for others. */
export function cohortTotals({ total, totals }, asked, ask) {
  const cost = totals.cost === null ? "" : `, cost ${money(totals.cost)}`;
  return h(
    "dl",
    { class: "figures totals", "aria-label": "The last measured runs of these cohorts together" },
    figure("Cohorts", grouped(total), total === totals.measured ? "all measured in their last run" : `${grouped(totals.measured)} measured in their last run`),
    figure("Query time, last measured runs", seconds(totals.query_seconds), `of ${counted(totals.known, "cohort")}`),
    figure("Core-hours, last measured runs", hours(totals.core_hours), `what executors held${cost}`),
    gained(totals),
    filterFigure("Wait for a person", totals.waiting, "waits", "nothing waits", asked, ask),
    filterFigure("Last run failed, or no log", totals.failed, "failed", "none", asked, ask),
  );
}
