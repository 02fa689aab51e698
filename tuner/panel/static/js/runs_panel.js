// The tab of runs: all of them as a table, or two of them side by side.

import * as api from "./api.js";
import { comparedRuns } from "./compared_runs.js";
import { comparisonView } from "./comparison.js";
import { amend, visit } from "./navigation.js";
import { runsTable } from "./runs_table.js";
import { loadInto } from "./status.js";

/** Fills `panel` with the page's runs, or with the comparison that `page.comparison` asks for. */
export function runsPanel(panel, page, { keepFocus = false } = {}) {
  const list = (runs) => runsTable(runs, page, (chosen) => compare(runs, chosen));
  const compare = (runs, chosen) => {
    visit(chosen, { part: "runs", as: "comparison" });
    panel.replaceChildren(comparison(runs, chosen));
    panel.querySelector("h2").focus();
  };
  const back = (runs, from) => {
    page.comparison = null;
    visit({ before: null, after: null }, { part: "runs" });
    panel.replaceChildren(...[list(runs)].flat());
    const rows = [...panel.querySelectorAll("tr[data-key]")];
    (rows.find((row) => row.dataset.key === from.after) ?? rows[0])?.focus();
  };
  const comparison = (runs, chosen) => comparisonView(chosen, runs.items, page, () => back(runs, page.comparison ?? chosen));
  const asked = api.compare ? page.comparison : null;
  if (!asked && comparedRuns()) amend({ before: null, after: null });
  const filled = loadInto(panel, () => page.runs(), (runs) => (asked ? comparison(runs, asked) : list(runs)));
  // A link to a comparison leads to it, and not to the chart above.
  return asked && !keepFocus ? filled.then(() => panel.querySelector("h2")?.focus()) : filled;
}
