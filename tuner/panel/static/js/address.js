// What part of the world the page is about, by its query string, and the addresses of its other parts.

import { readQuery, withQuery } from "./query_string.js";

const NAMES = ["scope", "dag_id", "run_id", "task_id", "map_index", "cohort", "view"];
// Airflow leaves `{RUN_ID}` as it is where its page knows no run.
const LITERAL = /^\{[A-Z_]+\}$/;

/** Scope as an object; what the page's address does not give is "". */
export function readScope(search) {
  const given = readQuery(search);
  const scope = {};
  for (const name of NAMES) {
    const value = given.get(name) ?? "";
    scope[name] = LITERAL.test(value) ? "" : value;
  }
  return scope;
}

/** The page of a cohort, with the run that the address speaks of where it does. */
export function cohortAddress(cohort, scope) {
  return withQuery("ui", { ...scope, scope: scope.scope || "nav", cohort, view: "" });
}

/** The list that a cohort's page leads back to. */
export function listAddress(scope) {
  return withQuery("ui", { scope: scope.dag_id ? "dag" : "nav", dag_id: scope.dag_id });
}

/** What changes saved, over all cohorts or those of the DAG that the list is of. */
export function savingsAddress(scope) {
  return withQuery("ui", { scope: scope.dag_id ? "dag" : "nav", dag_id: scope.dag_id, view: "savings" });
}

/** Whether a run is the one that the page was opened from. */
export function isThisRun(run, scope) {
  if (!scope.run_id || run.run_id !== scope.run_id) return false;
  if (scope.dag_id && run.dag_id !== scope.dag_id) return false;
  if (scope.task_id && run.task_id !== scope.task_id) return false;
  return !scope.map_index || String(run.map_index) === scope.map_index;
}
