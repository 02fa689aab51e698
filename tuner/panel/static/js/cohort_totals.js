// What all listed cohorts come to, in figures; two of them are filters.

import { h } from "./element.js";
import { lessOrMore } from "./difference.js";
import { boundsWords } from "./gain_bounds.js";
import { counted, grouped, hours, money, seconds, share } from "./units.js";

function figure(label, value, below, { press, pressed } = {}) {
  const words = press ? h("button", { type: "button", class: "link", "aria-pressed": String(pressed), on: { click: press } }, value) : value;
  return h("div", { class: "figure" }, h("dt", {}, label), h("dd", {}, h("div", { class: "value" }, words), h("div", { class: "below" }, below)));
}

function gained({ gained: gain, tuned, query_seconds: took }) {
  if (!tuned) return figure("Gained by their changes", "–", "known once runs with changes are measured");
  const without = took + gain.seconds;
  const part = without > 0 && gain.seconds > 0 ? `${share(gain.seconds / without)}; ` : "";
  return figure("Gained by their changes", lessOrMore(gain.seconds), `${part}${boundsWords(gain) || "exactly"}, in ${counted(tuned, "cohort")}`);
}

/** `totals` of `total` cohorts; `asked` are the filters, `ask(change)` asks for others. */
export function cohortTotals({ total, totals }, asked, ask) {
  const cost = totals.cost === null ? "" : `, cost ${money(totals.cost)}`;
  return h(
    "dl",
    { class: "figures totals", "aria-label": "The last runs of these cohorts together" },
    figure("Cohorts", grouped(total), total === totals.measured ? "all measured" : `${grouped(totals.measured)} measured`),
    figure("Query time, last runs", seconds(totals.query_seconds), `of ${counted(totals.measured, "cohort")}`),
    figure("Core-hours, last runs", hours(totals.core_hours), `what executors held${cost}`),
    gained(totals),
    figure("Wait for a person", grouped(totals.waiting), totals.waiting || asked.waits ? (asked.waits ? "shown alone; press for all" : "press to show them alone") : "nothing waits", totals.waiting || asked.waits ? { press: () => ask({ waits: asked.waits ? "" : "true" }), pressed: Boolean(asked.waits) } : {}),
    figure("Last run failed", grouped(totals.failed), totals.failed || asked.failed ? (asked.failed ? "shown alone; press for all" : "press to show them alone") : "none", totals.failed || asked.failed ? { press: () => ask({ failed: asked.failed ? "" : "true" }), pressed: Boolean(asked.failed) } : {}),
  );
}
