// Which two runs are compared, in the page's address: `?cohort=…&before=…&after=…`, by the keys of the runs.

import { here } from "./navigation.js";

/** The runs that the address asks for; null where it asks for none. */
export function comparedRuns() {
  const { before, after } = here().query;
  return before && after ? { before, after } : null;
}

/** Before a run, of those that are known, newest first: the newest that succeeded and was measured; null where there is none. */
export function runBefore(run, known) {
  const older = known.slice(known.indexOf(run) + 1);
  return older.find((each) => each.state === "succeeded" && each.query_seconds !== null) ?? null;
}

/** Whether there is anything to compare of a run. */
export function isMeasured(run) {
  return run.query_seconds !== null || run.application_seconds !== null;
}
