// Which two runs are compared, in the page's address: `?cohort=…&before=…&after=…`, by the keys of the runs.

import { here } from "./navigation.js";

/** The runs that the address asks for; null where it asks for none. */
export function comparedRuns() {
  const { before, after } = here().query;
  return before && after ? { before, after } : null;
}

/**
 * Before a run, of those that are known, newest first: the newest that succeeded and was measured, of the same mapped task where
 * there is one; null where there is none.
 */
export function runBefore(run, known) {
  const older = known.slice(known.indexOf(run) + 1).filter((each) => each.state === "succeeded" && each.query_seconds !== null);
  return older.find((each) => each.map_index === run.map_index) ?? older[0] ?? null;
}

/** Whether there is anything to compare of a run. */
export function isMeasured(run) {
  return run.query_seconds !== null || run.application_seconds !== null;
}
