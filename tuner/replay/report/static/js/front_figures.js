// All cohorts in a few figures.

import { h } from "./element.js";
import { figure } from "./figure.js";
import { hours, interval, queryTime } from "./hours.js";
import { counted, grouped, money, share } from "./units.js";

/** What executors held, where logs tell, and what that cost. */
function held({ allocated_core_hours: found, allocated_runs: runs }, price) {
  if (!runs) return "";
  const cost = price === null ? "" : `: ${money(found * price)} at ${money(price)} each`;
  return `; executors of ${counted(runs, "run")} held ${hours(found)}${cost}`;
}

function saved({ saved: found, core_hours: all, saved_core_hours_if_unset: unset }, price) {
  const more = unset ? `${hours(unset)} ${found ? "more " : ""}if you take out settings that runs had` : "";
  if (!found) return figure("Could be saved", "–", more || "no run lacked what was advised");
  const worth = price === null ? "" : `worth ${money(found.core_hours * price)}; `;
  const part = all > 0 ? `${worth}${share(found.core_hours / all)} of all; ` : worth;
  return figure("Could be saved", `${hours(found.core_hours)} core-hours`, part, interval(found.least_core_hours, found.most_core_hours, hours), more ? `; ${more}` : "");
}

function asLive({ live, as_live: same }) {
  if (!live) return figure("Runs that the tuner steered", "0", "no log is of a steered run");
  return figure("Decisions as the live tuner's", `${grouped(same)} of ${grouped(live)}`, same === live ? "each reads the same here" : "the others: see the table of cohorts");
}

export function frontFigures(front) {
  const { total } = front;
  return h(
    "dl",
    { class: "figures" },
    figure("Spent", `${hours(total.core_hours)} core-hours`, `${queryTime(total.query_seconds)} of query time, ${counted(total.measured, "measured run")}`, held(total, front.core_hour_price)),
    saved(total, front.core_hour_price),
    figure("Recommendations", grouped(front.recommendations_in_all), `in ${counted(front.cohorts.filter((each) => each.advised).length, "cohort")} of ${grouped(front.cohorts.length)}`, front.new_in_all ? `; ${grouped(front.new_in_all)} more for the next runs` : ""),
    asLive(total),
    figure("Not read, or not whole", grouped(front.unread_in_all), front.unread_in_all ? `of ${counted(front.logs, "log")}: see below` : "every log was read"),
  );
}
