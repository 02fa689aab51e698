// The largest cohorts as bars of core-hours, with the part that could be saved and its interval.

import { h } from "./element.js";
import { hours } from "./hours.js";
import { clipped } from "./printable.js";
import { counted } from "./units.js";

const MOST_BARS = 12;

function percent(part, most) {
  return `${Math.min(Math.max((100 * part) / most, 0), 100).toFixed(2)}%`;
}

function sum(cohorts, of) {
  return cohorts.reduce((total, each) => total + of(each), 0);
}

/** All that have no bar, in words: a bar of them would dwarf the others. */
function rest(cohorts) {
  if (!cohorts.length) return "";
  const saved = sum(cohorts, (each) => each.saved?.core_hours ?? 0);
  const less = saved > 0 ? `, of which ${hours(saved)} could be saved` : "";
  return h("p", { class: "faint" }, `And ${counted(cohorts.length, "smaller cohort")}: ${hours(sum(cohorts, (each) => each.core_hours))} core-hours${less}.`);
}

/** The saved part stands at the end of the bar: it is what would go. */
function track({ core_hours: all, saved }, most) {
  if (!saved) return h("div", { class: "bar-track" }, h("div", { class: "bar", style: { width: percent(all, most) } }));
  const part = Math.min(Math.max(saved.core_hours, 0), all);
  const [from, to] = [all - saved.most_core_hours, all - saved.least_core_hours].map((at) => Math.min(Math.max(at, 0), most));
  return h(
    "div",
    { class: "bar-track" },
    h("div", { class: "bar", style: { width: percent(all - part, most) } }),
    h("div", { class: "bar saved", style: { left: percent(all - part, most), width: percent(part, most) } }),
    h("div", { class: "bar-interval", style: { left: percent(from, most), width: percent(Math.max(to - from, 0), most) } }),
  );
}

function row(bar, most) {
  const less = bar.saved && bar.saved.core_hours > 0 ? h("span", { class: "better" }, ` − ${hours(bar.saved.core_hours)}`) : "";
  return h("div", { class: "bar-row" }, h("div", { class: "bar-name", dir: "auto" }, clipped(bar.cohort, 60)), track(bar, most), h("div", { class: "bar-value" }, hours(bar.core_hours), less));
}

/** `cohorts`, those with the most core-hours first. A picture for who sees it: the table beside it says the same. */
export function cohortBars(cohorts) {
  const bars = cohorts.slice(0, MOST_BARS);
  const most = Math.max(...bars.map((bar) => Math.max(bar.core_hours, bar.saved ? bar.core_hours - bar.saved.least_core_hours : 0)));
  if (!(most > 0)) return h("p", { class: "faint" }, "No run was measured, so there is no time to show.");
  const key = (style, words) => h("li", {}, h("span", { class: `bar-key ${style}` }), words);
  return h(
    "div",
    { class: "bars-with-legend" },
    h("ul", { class: "legend" }, key("bar", "Core-hours spent"), bars.some((bar) => bar.saved) ? [key("bar saved", "that could be saved"), key("bar-interval", "where the rest would end: interval")] : ""),
    h("div", { class: "bars", role: "img", "aria-label": `Core-hours of the ${bars.length} largest cohorts, and what of them could be saved. The table below has the same facts.` }, bars.map((bar) => row(bar, most))),
    rest(cohorts.slice(MOST_BARS)),
  );
}
