// What part of the world the page is about, by its query string, and the addresses of its other parts.

const NAMES = ["scope", "dag_id", "run_id", "task_id", "map_index", "cohort"];
// Airflow leaves `{RUN_ID}` as it is where its page knows no run.
const LITERAL = /^\{[A-Z_]+\}$/;

/** Scope as an object; what the page's address does not give is "". */
export function readScope(search) {
  const given = new URLSearchParams(search);
  const scope = {};
  for (const name of NAMES) {
    const value = given.get(name) ?? "";
    scope[name] = LITERAL.test(value) ? "" : value;
  }
  return scope;
}

/** The page of a cohort, with the run that the address speaks of where it does. */
export function cohortAddress(cohort, scope) {
  const query = new URLSearchParams({ scope: scope.scope || "nav" });
  for (const name of NAMES.slice(1, -1)) if (scope[name]) query.set(name, scope[name]);
  query.set("cohort", cohort);
  return `ui?${query}`;
}

/** The list that a cohort's page leads back to. */
export function listAddress(scope) {
  const query = new URLSearchParams({ scope: scope.dag_id ? "dag" : "nav" });
  if (scope.dag_id) query.set("dag_id", scope.dag_id);
  return `ui?${query}`;
}

/** Whether a run is the one that the page was opened from. */
export function isThisRun(run, scope) {
  if (!scope.run_id || run.run_id !== scope.run_id) return false;
  if (scope.dag_id && run.dag_id !== scope.dag_id) return false;
  if (scope.task_id && run.task_id !== scope.task_id) return false;
  return !scope.map_index || String(run.map_index) === scope.map_index;
}
