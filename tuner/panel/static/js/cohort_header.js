// A cohort's name, its state, and its mode with what changes it.

import { MAY_NOT_ACT } from "./acting.js";
import { listAddress } from "./address.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { modeForm } from "./mode_form.js";
import { clipped, named } from "./printable.js";
import { STATES, badge } from "./standing.js";
import { time } from "./times.js";

function whoSetIt({ is_known: isKnown, by, at, reason }) {
  if (!isKnown) return h("span", { class: "faint" }, "known when the next run starts");
  if (!by) return h("span", { class: "faint" }, "as the latest run had it, from its job or the configuration");
  return h("span", { class: "faint" }, "set by ", named(by, { limit: 60 }), at ? [" on ", time(at)] : "", reason ? [": ", named(reason, { limit: 160 })] : "");
}

/** What changes are judged by, where that is not the time alone. */
function judgedBy({ objective }) {
  return objective === "time" ? "" : h("span", { class: "faint" }, `judged by ${objective === "cost" ? "cost: time and core-hours" : "either time or core-hours"}`);
}

/** What changes the mode: a button, and the place of its form. */
function modeChanger(page) {
  const place = h("div", { class: "mode-place" });
  const button = h("button", { type: "button", class: "small", "aria-expanded": "false" }, "Change mode");
  const close = () => {
    if (place.firstChild?.inert) return;
    place.replaceChildren();
    button.setAttribute("aria-expanded", "false");
    button.focus();
  };
  button.addEventListener("click", () => {
    if (place.hasChildNodes()) return close();
    button.setAttribute("aria-expanded", "true");
    const form = modeForm(page, close);
    place.replaceChildren(form);
    return form.querySelector("input:checked")?.focus();
  });
  return { button, place };
}

function modeRow(page) {
  const { mode_setting: setting, may_act: mayAct } = page.cohort;
  const mode = setting.is_known ? setting.mode : "the job's own";
  const off = setting.off ? h("span", { class: "notice inline" }, icon("warn"), named(setting.off, { limit: 300 })) : "";
  const row = h("div", { class: "mode-row" }, h("span", { class: "label" }, "Mode"), h("strong", {}, mode), whoSetIt(setting), judgedBy(page.cohort), off);
  if (!mayAct) {
    row.append(h("span", { class: "notice inline" }, icon("eye"), MAY_NOT_ACT));
    return row;
  }
  // One for all times that the header is drawn: somebody may be writing in its form.
  page.modeChanger ??= modeChanger(page);
  row.append(page.modeChanger.button);
  const said = page.modeSaid ? h("p", { class: "note mode-note" }, named(page.modeSaid, { limit: 600 })) : "";
  return [row, said, page.modeChanger.place];
}

/** On what mode that rests: a person's holds, another may be changed where the job is. */
function ifMode({ mode, is_known: isKnown, by, off }) {
  if (off) return "";
  if (!isKnown) return `if its mode is ${mode}, as the latest run's: `;
  return by ? "" : `if its mode is still ${mode}: `;
}

/** What the next run is to have: in mode observe plainly nothing, whatever the latest had. */
function nextRun({ mode, mode_setting: setting, next_decision: decision, next_decision_may_change: mayChange }) {
  if (!decision && mode !== "observe") return "";
  const words = decision ? named(decision, { limit: 400 }) : "";
  const told = mode === "observe" ? ["nothing will be changed", words ? [" (", words, ")"] : ""] : words;
  return h("p", { class: "decision" }, h("strong", {}, "Next run: "), ifMode(setting), told, mayChange && mode !== "observe" ? h("span", { class: "faint" }, " (a run has ended since that was decided)") : "");
}

export function cohortHeader(page) {
  const { cohort, tasks, state } = page.cohort;
  const others = tasks.map((task) => `${task.dag_id}.${task.task_id}`).filter((task) => task !== cohort);
  document.title = `${clipped(cohort, 80)} · Spark tuner`;
  return h(
    "div",
    { class: "cohort-header" },
    h("a", { class: "back", href: listAddress(page.scope) }, icon("left"), page.scope.dag_id ? "Cohorts of the DAG" : "All cohorts"),
    h("div", { class: "name-row" }, h("h1", {}, named(cohort, { limit: 200 })), badge(STATES[state])),
    others.length ? h("p", { class: "faint" }, "Tasks: ", named(others.join(", "), { limit: 300 })) : "",
    nextRun(page.cohort),
    modeRow(page),
  );
}
