// The cohort's recommendations: which of them are shown, which are chosen to be ruled on together, and what that answered.

import { h } from "./element.js";
import { named } from "./printable.js";
import { filterButtons, filtered } from "./recommendation_filters.js";
import { recommendationTable } from "./recommendation_table.js";
import { rulingButtons, rulingsFor } from "./rulings.js";
import { empty, loadInto } from "./status.js";
import { counted } from "./units.js";

function why(cohort) {
  if (!cohort.runs) return "The first run is observed; recommendations come from what it measures.";
  if (cohort.latest_seconds === null && cohort.baseline_seconds === null) return "No run has been measured yet: a run is measured when it has ended and its event log was read.";
  return `The latest run was measured, and no change promises more than it risks. ${cohort.next_decision}`;
}

/** What may be done with those that are chosen, or how to choose. */
function choiceBar(chosen, page, list, clear) {
  if (!chosen.length) return "";
  const fits = rulingsFor(chosen).length;
  const none = h("p", { class: "faint" }, "No ruling fits all of these: what is proposed can be approved or rejected, what is in force rolled back.");
  return h(
    "div",
    { class: "choice-bar", role: "group", "aria-label": "Rule on the selected" },
    h("strong", {}, `${counted(chosen.length, "change")} selected`),
    fits ? rulingButtons(chosen, page, list.ruled) : none,
    h("button", { type: "button", class: "plain small", on: { click: clear } }, "Clear"),
  );
}

/** Fills `panel` with the page's recommendations; `page.filter` says which are shown, and is followed by the focus once. */
export function recommendationList(panel, page) {
  const [open, chosen, notes] = [new Set(), new Set(), new Map()];
  const [bar, table, said] = [h("div", { class: "choice-place" }), h("div", {}), h("div", {})];
  const chips = h("div", { class: "table-tools" });
  let items = [];
  let filter = "all";

  const shown = () => filtered(items, filter, page.cohort);

  const list = {
    isOpen: (id) => open.has(id),
    opened: (id, isOpen) => (isOpen ? open.add(id) : open.delete(id)),
    note: (id) => notes.get(id),
    canChoose: (item) => page.cohort.may_act && item.rulings.length > 0,
    isChosen: (id) => chosen.has(id),
    choose: (ids, isChosen) => {
      for (const id of ids) isChosen ? chosen.add(id) : chosen.delete(id);
      drawChoice();
    },
    ruled: async (of, message) => {
      const at = shown().findIndex((item) => item.id === of[0].id);
      await page.changed(message);
      items = await page.recommendations();
      for (const item of of) chosen.delete(item.id);
      notes.clear();
      if (of.length === 1 && shown().some((item) => item.id === of[0].id)) notes.set(of[0].id, message);
      else said.replaceChildren(h("p", { class: "note table-note" }, named(message, { limit: 400 })));
      draw();
      focusNear(of[0].id, at);
    },
  };

  const rows = () => [...table.querySelectorAll("tr.change-row")];

  /** The row that was ruled on; where it is shown no more, the one in its place. */
  const focusNear = (id, at) => {
    const row = rows().find((each) => each.dataset.id === id) ?? rows()[Math.min(Math.max(at, 0), rows().length - 1)];
    (row?.querySelector(".expander") ?? chips.querySelector("button"))?.focus();
  };

  const clear = () => {
    const [first] = chosen;
    list.choose([...chosen], false);
    rows().find((each) => each.dataset.id === first)?.querySelector("input")?.focus();
  };

  const drawChoice = () => {
    bar.replaceChildren(choiceBar(items.filter((item) => chosen.has(item.id)), page, list, clear));
    for (const row of rows()) {
      const box = row.querySelector("input[type=checkbox]");
      if (box) box.checked = chosen.has(row.dataset.id);
    }
    const all = table.querySelector("thead input");
    const boxes = rows().filter((row) => row.querySelector("input"));
    const number = boxes.filter((row) => chosen.has(row.dataset.id)).length;
    if (all) [all.checked, all.indeterminate] = [number > 0 && number === boxes.length, number > 0 && number < boxes.length];
  };

  const show = (name) => {
    filter = name;
    // Nobody rules on what he does not see.
    chosen.clear();
    said.replaceChildren();
    draw();
    chips.querySelector(`[data-filter=${name}]`)?.focus();
  };

  const chooseWaiting = () => {
    const waiting = items.filter((item) => item.waits && list.canChoose(item));
    if (filter !== "all") show("all");
    list.choose(waiting.map((item) => item.id), true);
    bar.querySelector("button")?.focus();
  };

  const draw = () => {
    if (!shown().length) filter = "all";
    const waiting = items.filter((item) => item.waits && list.canChoose(item)).length;
    const all = waiting > 1 ? h("button", { type: "button", class: "small", on: { click: chooseWaiting } }, `Select the ${waiting} that wait`) : "";
    chips.replaceChildren(filterButtons(items, filter, page.cohort, show), all);
    table.replaceChildren(recommendationTable(shown(), page, list));
    drawChoice();
  };

  const fill = (found) => {
    items = found;
    if (!items.length) return empty("No recommendation.", why(page.cohort));
    if (items.length === 1) open.add(items[0].id);
    [filter, page.filter] = [page.filter ?? "all", null];
    draw();
    return [chips, said, bar, table];
  };

  const wanted = page.filter;
  return loadInto(panel, page.recommendations, fill, { lines: 8 }).then(() => {
    if (wanted) chips.querySelector(`[data-filter=${filter}]`)?.focus();
  });
}
