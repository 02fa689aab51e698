// All cohorts that the user may read, or those of a DAG or task: searched, filtered and paged by the API.

import { cohortAddress } from "./address.js";
import * as api from "./api.js";
import { difference } from "./difference.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { named } from "./printable.js";
import { readQuery, withQuery } from "./query_string.js";
import { RUN_STATES, STATES, badge } from "./standing.js";
import { empty, failure, skeleton } from "./status.js";
import { time } from "./times.js";
import { counted, grouped } from "./units.js";

const LIMIT = 50;
const TYPING_MS = 250;

function gain(item) {
  if (item.baseline_seconds === null || item.latest_seconds === null) return h("span", { class: "faint" }, "–");
  return difference(item.baseline_seconds - item.latest_seconds, { of: item.baseline_seconds });
}

function row(item, scope, withGain) {
  const tasks = item.tasks.map((task) => `${task.dag_id}.${task.task_id}`).filter((task) => task !== item.cohort);
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, h("a", { href: cohortAddress(item.cohort, scope) }, named(item.cohort, { limit: 160 })), tasks.length ? h("div", { class: "faint" }, named(tasks.join(", "), { limit: 160 })) : ""),
    h("td", {}, badge(STATES[item.state])),
    h("td", {}, item.mode),
    h("td", { class: "number" }, grouped(item.runs)),
    h("td", {}, time(item.last_run_at, { relative: true }), h("div", { class: "faint" }, RUN_STATES[item.last_run_state].words.toLowerCase())),
    withGain ? h("td", { class: "number" }, gain(item)) : "",
    h("td", { class: "decision" }, named(item.last_decision, { limit: 140 })),
  );
}

const GAIN = ["Query time, latest run", "number"];
const HEADS = [["Cohort"], ["State"], ["Mode"], ["Runs", "number"], ["Last run"], GAIN, ["Last decision"]];

function table(page, scope) {
  const withGain = page.items.some((item) => item.baseline_seconds !== undefined);
  const heads = HEADS.filter((head) => withGain || head !== GAIN);
  return h(
    "div",
    { class: "scroller", role: "region", "aria-label": "Cohorts, scrolls sideways", tabindex: "0" },
    h(
      "table",
      { class: "cohorts" },
      h("caption", { class: "unseen" }, "Cohorts"),
      h("thead", {}, h("tr", {}, heads.map(([words, style]) => h("th", { scope: "col", class: style }, words)))),
      h("tbody", {}, page.items.map((item) => row(item, scope, withGain))),
    ),
  );
}

function nothing(asked, scope) {
  if (asked.search || asked.state) return empty("No cohort matches.", "Change the search or the filter above.");
  const where = scope.dag_id ? "This DAG has no cohort yet." : "There is no cohort yet.";
  return empty(
    where,
    "A cohort is a Spark job that runs again and again. To start one, run a job through SparkTunedOperator in place of SparkSubmitOperator, or on the command line:",
    h("pre", { class: "code" }, "spark-tuner submit --cohort nightly -- app.py"),
    "Its first run is observed. It appears here when it has started.",
  );
}

function pages(page, go) {
  if (page.total <= page.limit) return "";
  const last = Math.min(page.offset + page.items.length, page.total);
  const step = (words, offset, possible) => h("button", { type: "button", disabled: !possible, on: { click: () => go(offset) } }, words);
  return h(
    "nav",
    { class: "pages", "aria-label": "Pages of cohorts" },
    step("Previous", Math.max(page.offset - LIMIT, 0), page.offset > 0),
    h("span", {}, `${grouped(page.offset + 1)} to ${grouped(last)} of ${grouped(page.total)}`),
    step("Next", page.offset + LIMIT, last < page.total),
  );
}

function remember(asked) {
  const query = { ...Object.fromEntries(readQuery(window.location.search)), ...asked, offset: asked.offset || "" };
  window.history.replaceState(null, "", withQuery(window.location.pathname, query));
}

function filters(asked, ask) {
  const search = h("input", { type: "search", placeholder: "Search cohorts", "aria-label": "Search cohorts", autocomplete: "off", maxlength: "200" });
  search.value = asked.search;
  let timer = 0;
  search.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => ask({ search: search.value.trim() }), TYPING_MS);
  });
  const options = Object.entries(STATES).map(([state, { words }]) => h("option", { value: state }, words));
  const state = h("select", { "aria-label": "State" }, h("option", { value: "" }, "Every state"), options);
  state.value = asked.state;
  state.addEventListener("change", () => ask({ state: state.value }));
  return h("div", { class: "filters", role: "search" }, h("span", { class: "with-icon" }, icon("search"), search), state);
}

/** Draws the overview into `main`. */
export function overview(main, scope) {
  const given = readQuery(window.location.search);
  const asked = { search: given.get("search") ?? "", state: Object.hasOwn(STATES, given.get("state") ?? "") ? given.get("state") : "", offset: Number(given.get("offset")) || 0 };
  const place = h("div", {});
  const total = h("p", { class: "faint", role: "status" });
  let calls = new AbortController();

  const load = async () => {
    calls.abort();
    calls = new AbortController();
    place.setAttribute("aria-busy", "true");
    try {
      const { dag_id, task_id, run_id } = scope;
      const page = await api.cohorts({ dag_id, task_id, run_id, ...asked, limit: LIMIT }, { signal: calls.signal });
      total.textContent = counted(page.total, "cohort");
      place.replaceChildren(...[page.items.length ? table(page, scope) : nothing(asked, scope), pages(page, (offset) => ask({ offset }))].filter(Boolean));
    } catch (error) {
      if (error.name === "AbortError") return;
      total.textContent = "";
      place.replaceChildren(failure(error, load));
    }
    place.removeAttribute("aria-busy");
  };
  const ask = (change) => {
    Object.assign(asked, { offset: 0 }, change);
    remember(asked);
    return load();
  };

  const title = scope.dag_id ? ["Cohorts of ", named(scope.dag_id, { limit: 120 })] : ["Cohorts"];
  main.replaceChildren(h("div", { class: "title-row" }, h("div", {}, h("h1", {}, ...title), total), filters(asked, ask)), place);
  place.replaceChildren(skeleton(6));
  return load();
}
