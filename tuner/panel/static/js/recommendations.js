// The cohort's recommendations: which of them are shown, which are chosen to be ruled on together, and what that answered.

import { h } from "./element.js";
import { named } from "./printable.js";
import { filterButtons, filtered } from "./recommendation_filters.js";
import { recommendationTable } from "./recommendation_table.js";
import { ruledAtOnce, rulingButtons, rulingsFor } from "./rulings.js";
import { stateNow } from "./standing.js";
import { empty, failure, loadInto } from "./status.js";
import { counted, grouped } from "./units.js";

// Under it the reason is kept that is being written for those that are chosen.
const CHOSEN = "chosen";

// What became of the latest run, where nothing was measured of it.
const NOT_MEASURED = { running: "has not ended, or its log was not read yet", seen_to_succeed: "has ended, and its log was not read yet", failed: "failed", partial: "left a part of its log", lost: "left no log" };

function why(cohort) {
  if (!cohort.runs) return "The first run is observed; recommendations come from what it measures.";
  if (cohort.latest_seconds === null && cohort.baseline_seconds === null) return "No run has been measured yet: a run is measured when it has ended and its event log was read.";
  const ended = NOT_MEASURED[stateNow(cohort.last_run_state, cohort.last_has_ended)];
  const measured = ended ? `The latest run ${ended}: what is advised rests on an older one` : "The latest run was measured";
  return `${measured}, and no change promises more than it risks. ${cohort.next_decision}`;
}

/** What may be done with those that are chosen, or how to choose. */
function choiceBar(chosen, page, list, clear) {
  if (!chosen.length) return "";
  const fits = rulingsFor(chosen).length;
  const none = h("p", { class: "faint" }, "No ruling fits all of these: what is proposed can be approved or rejected, what is in force rolled back.");
  return h(
    "div",
    { class: "choice-bar", role: "group", "aria-label": "Rule on the selected", tabindex: "-1" },
    h("strong", {}, `${counted(chosen.length, "change")} selected`),
    fits ? rulingButtons(chosen, page, list, CHOSEN) : none,
    h("button", { type: "button", class: "plain small", on: { click: clear } }, "Clear"),
  );
}

/** How a person left the list, for when it is filled anew: its filter, the rows that are open, and reasons not yet sent. */
export function listAtFirst() {
  return { filter: "all", open: new Set(), drafts: new Map() };
}

/** Fills `panel` with the page's recommendations; `page.filter` says which are shown, and is followed by the focus once. */
export function recommendationList(panel, page) {
  const { open, drafts } = page.list;
  const [chosen, notes] = [new Set(), new Map()];
  const [bar, table, said] = [h("div", { class: "choice-place" }), h("div", {}), h("div", {})];
  const chips = h("div", { class: "table-tools" });
  let items = [];
  let total = 0;
  let held = false;

  const shown = () => filtered(items, page.list.filter, page.cohort);

  const list = {
    drafts,
    isOpen: (id) => open.has(id),
    opened: (id, isOpen) => (isOpen ? open.add(id) : open.delete(id)),
    note: (id) => notes.get(id),
    canChoose: (item) => page.cohort.may_act && item.rulings.length > 0,
    isChosen: (id) => chosen.has(id),
    choose: (ids, isChosen) => {
      for (const id of ids) isChosen ? chosen.add(id) : chosen.delete(id);
      drawChoice();
    },
    /** While a ruling is under way, nothing else is said or chosen here. */
    hold: (isHeld) => {
      if (held === isHeld) return;
      held = isHeld;
      page.underWay += isHeld ? 1 : -1;
      for (const part of [chips, bar, table]) part.inert = isHeld;
    },
    ruled: (of, message) => {
      const tell = () => {
        if (of.length === 1 && open.has(of[0].id) && shown().some((item) => item.id === of[0].id)) notes.set(of[0].id, message);
        else said.replaceChildren(h("p", { class: "note table-note" }, named(message, { limit: 400 })));
      };
      return renewed(of, () => page.changed(message), tell);
    },
    /** Whether the list could be loaded anew, and says that a ruling came too late. */
    moved: (of, error) =>
      renewed(of, page.renew, () => said.replaceChildren(h("div", { class: "table-note" }, failure(error)))).then(
        () => true,
        () => false,
      ),
  };

  /** After a ruling on `of`: what stands now, and what `tell` says of it. */
  const renewed = async (of, renew, tell) => {
    const at = shown().findIndex((item) => item.id === of[0].id);
    await renew();
    const found = await page.recommendations();
    // The list was filled meanwhile, maybe with what stood before.
    if (!bar.isConnected) return page.tabs.stale("recommendations");
    ({ items, total } = found);
    for (const item of of) chosen.delete(item.id);
    notes.clear();
    said.replaceChildren();
    list.hold(false);
    tell();
    draw();
    // Whoever went on elsewhere stays there.
    if (document.activeElement === document.body) focusNear(of[0].id, at);
    return undefined;
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
    if (!chosen.size) drafts.delete(CHOSEN);
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
    page.list.filter = name;
    chosen.clear();
    said.replaceChildren();
    draw();
    chips.querySelector(`[data-filter=${name}]`)?.focus();
  };

  const waiting = () => items.filter((item) => item.waits && list.canChoose(item));

  const chooseWaiting = () => {
    if (page.list.filter !== "all") show("all");
    chosen.clear();
    list.choose(ruledAtOnce(waiting()).map((item) => item.id), true);
    // Not one of its buttons: a key that is held down would press it, too.
    bar.querySelector(".choice-bar")?.focus();
  };

  /** Nobody rules on what he does not see. */
  const forgetHidden = () => {
    const seen = new Set(shown().map((item) => item.id));
    for (const id of chosen) if (!seen.has(id)) chosen.delete(id);
  };

  const waitingButton = () => {
    const [all, atOnce] = [waiting(), ruledAtOnce(waiting())];
    if (atOnce.length < 2) return "";
    const which = atOnce.length < all.length ? `first ${grouped(atOnce.length)} of ${grouped(all.length)}` : grouped(all.length);
    return h("button", { type: "button", class: "small", on: { click: chooseWaiting } }, `Select the ${which} that wait`);
  };

  const draw = () => {
    if (!shown().length) page.list.filter = "all";
    forgetHidden();
    const some = items.length < total ? h("span", { class: "faint" }, `the first ${grouped(items.length)} of ${grouped(total)}`) : "";
    chips.replaceChildren(filterButtons(items, page.list.filter, page.cohort, show), waitingButton(), some);
    table.replaceChildren(recommendationTable(shown(), page, list));
    drawChoice();
  };

  const fill = (found) => {
    ({ items, total } = found);
    if (!items.length) return empty("No recommendation.", why(page.cohort));
    if (items.length === 1) open.add(items[0].id);
    page.list.filter = page.filter ?? page.list.filter;
    page.filter = null;
    draw();
    return [chips, said, bar, table];
  };

  const wanted = page.filter;
  // Not `page.recommendations` itself: tried again, it is to be the question of then.
  return loadInto(panel, () => page.recommendations(), fill, { lines: 8 }).then(() => {
    if (wanted) chips.querySelector(`[data-filter=${page.list.filter}]`)?.focus();
  });
}
