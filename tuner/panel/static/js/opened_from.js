// Says so where the page was opened from a run that is none of those it shows.

import { isThisRun } from "./address.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { grouped } from "./units.js";

/** Of the newest page of runs; "" where that run is one of them, or the page was opened from none. */
export function notShown({ items, total }, { scope }) {
  if (!scope.run_id || items.some((run) => isThisRun(run, scope))) return "";
  const words =
    items.length < total
      ? `The run that this page was opened from is not among the newest ${grouped(items.length)} of ${grouped(total)}, which are shown here; if it ran this job, it is further down in Runs.`
      : "No run of this job is on record for the run that this page was opened from (it has not begun, was not recorded, or was forgotten): what is shown here is of other runs.";
  return h("p", { class: "notice" }, icon("warn"), words);
}
