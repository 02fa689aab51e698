// The page starts here: theme, who looks, and what part of the world the address asks for.

import { readScope } from "./address.js";
import * as api from "./api.js";
import { cohortPage } from "./cohort_page.js";
import { overview } from "./overview.js";
import { savingsPage } from "./savings_page.js";
import { failure, skeleton } from "./status.js";
import { follow } from "./theme.js";
import { drawTop } from "./top.js";

/** A task or a run that has just one cohort is shown by it; several, or none, as a list. */
async function theOnly(scope) {
  if (!["task", "task_instance", "dag_run"].includes(scope.scope)) return "";
  const { dag_id, run_id, task_id } = scope;
  const found = await api.cohorts({ dag_id, run_id, task_id, limit: 2 });
  return found.total === 1 ? found.items[0].cohort : "";
}

async function show(main, scope) {
  main.replaceChildren(skeleton(8));
  try {
    if (scope.view === "savings") return await savingsPage(main, scope);
    const cohort = scope.cohort || (await theOnly(scope));
    return await (cohort ? cohortPage(main, cohort, scope) : overview(main, scope));
  } catch (error) {
    return main.replaceChildren(failure(error, () => show(main, scope)));
  }
}

follow();
const scope = readScope(window.location.search);
drawTop(document.getElementById("top"));
show(document.getElementById("main"), scope);
