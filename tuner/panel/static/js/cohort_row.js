// A cohort in the list: what its last run took and held, what its changes gain, and what waits for a person.

import { cohortAddress } from "./address.js";
import { h } from "./element.js";
import { gainWords } from "./gain_bounds.js";
import { icon } from "./icons.js";
import { named } from "./printable.js";
import { trendLine } from "./trend_line.js";
import { RUN_STATES, STATES, badge, runState } from "./standing.js";
import { time } from "./times.js";
import { counted, grouped, hours, money, seconds } from "./units.js";

const FINE = [null, "succeeded"];

function none(words = "–") {
  return h("span", { class: "faint" }, words);
}

function name(item, scope, chooseTag) {
  const tasks = item.tasks.map((task) => `${task.dag_id}.${task.task_id}`).filter((task) => task !== item.cohort);
  const tag = (each) => h("button", { type: "button", class: "tag", title: "Only cohorts with this tag", on: { click: () => chooseTag(each) } }, named(each, { limit: 40 }));
  return h(
    "th",
    { scope: "row", class: "name" },
    h("a", { href: cohortAddress(item.cohort, scope) }, named(item.cohort, { limit: 160 })),
    tasks.length ? h("div", { class: "faint" }, named(tasks.join(", "), { limit: 160 })) : "",
    item.tags.length ? h("div", { class: "tags" }, item.tags.map(tag)) : "",
  );
}

function held({ core_hours: cores, gib_hours: memory, cost }) {
  if (cores === null) return none();
  const below = [memory === null ? "" : `${hours(memory)} GiB-hours`, cost === null ? "" : `cost ${money(cost)}`].filter(Boolean).join(", ");
  return [hours(cores), below ? h("div", { class: "faint" }, below) : ""];
}

function took({ query_seconds: queries, application_seconds: application, trend, measured_at: at, is_measured: isOfLast }) {
  if (queries === null) return none("not measured");
  const older = isOfLast || at === null ? "" : h("div", { class: "tone-text tone-warn" }, "measured ", time(at, { relative: true }));
  return h("div", { class: "took" }, trendLine(trend), h("div", {}, seconds(queries), application === null ? "" : h("div", { class: "faint" }, `application ${seconds(application)}`), older));
}

function lastRun(item) {
  const { last_run_state: last, last_ended_state: ended } = item;
  const badly = FINE.includes(ended) ? "" : h("div", { class: `tone-text tone-${RUN_STATES[ended].tone}` }, icon(RUN_STATES[ended].icon), RUN_STATES[ended].words);
  const goesOn = last === "running" && !item.last_has_ended;
  const state = badly && !goesOn ? "" : h("div", { class: "faint" }, runState(last, item.last_has_ended).words.toLowerCase());
  return h("td", {}, time(item.last_run_at, { relative: true }), state, badly, h("div", { class: "faint" }, counted(item.runs, "run")));
}

/** `chooseTag(tag)` filters the list by one. */
export function cohortRow(item, scope, chooseTag) {
  const inForce = item.in_force ? counted(item.in_force, "change") + " in force" : "nothing in force";
  return h(
    "tr",
    {},
    name(item, scope, chooseTag),
    h("td", { class: "number" }, held(item)),
    h("td", { class: "number" }, took(item)),
    h("td", { class: "number" }, gainWords(item.gained)),
    h("td", {}, badge(STATES[item.state]), h("div", { class: "faint" }, `${inForce}, mode ${item.mode}`)),
    h("td", { class: "number" }, item.waiting ? h("strong", {}, grouped(item.waiting)) : none("0")),
    lastRun(item),
  );
}
