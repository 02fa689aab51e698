// All cohorts that the user may read, or those of a DAG or task: summed, searched, filtered, sorted and paged by the API.

import { listAddress, savingsAddress } from "./address.js";
import * as api from "./api.js";
import { cohortRow } from "./cohort_row.js";
import { cohortTotals } from "./cohort_totals.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { amend, here, onReturn, visit } from "./navigation.js";
import { clipped, named } from "./printable.js";
import { whenSeenAgain } from "./seen_again.js";
import { sortHead } from "./sort_head.js";
import { STATES } from "./standing.js";
import { empty, failure, skeleton } from "./status.js";
import { counted, grouped } from "./units.js";

const LIMIT = 50;
// A word is asked for as a whole, and not key by key.
const TYPING_MS = 200;
// What is answered sooner needs no word that it is loading.
const SILENT_MS = 250;
// A list that was left open so long is asked for anew when somebody comes back to it.
const OLD_MS = 5 * 60_000;
const FIRST = { search: "", state: "", tag: "", waits: "", failed: "", sort: "core_hours", reverse: "", offset: 0 };

const COLUMNS = [
  { words: "Cohort", name: "name", ascending: true },
  { words: "Core-hours", style: "number", name: "core_hours" },
  { words: "Query time", style: "number", name: "seconds" },
  { words: "Gained a run", style: "number", name: "gained" },
  { words: "State", name: "state", ascending: true },
  { words: "Waits", style: "number", name: "waiting", title: "Changes that wait for a person" },
  { words: "Last run", name: "last_run" },
];

const startsAscending = (sort) => Boolean(COLUMNS.find((column) => column.name === sort)?.ascending);

function readAsked() {
  const { query } = here();
  const asked = { ...FIRST, offset: Math.max(0, Math.trunc(Number(query.offset)) || 0), search: query.search ?? "", tag: query.tag ?? "" };
  if (Object.hasOwn(STATES, query.state ?? "")) asked.state = query.state;
  if (COLUMNS.some((column) => column.name === query.sort)) asked.sort = query.sort;
  for (const name of ["waits", "failed", "reverse"]) asked[name] = query[name] === "true" ? "true" : "";
  return asked;
}

/** What differs from what is asked first: an address holds no more. */
function written(asked) {
  return Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value === FIRST[name] ? "" : value]));
}

function table(page, scope, asked, ask) {
  const order = { sort: asked.sort, descending: startsAscending(asked.sort) === (asked.reverse === "true") };
  const choose = ({ sort, descending }) => ask({ sort, reverse: descending === startsAscending(sort) ? "true" : "" }, { focus: [`button[data-sort="${sort}"]`] });
  const heads = h("thead", {}, h("tr", {}, COLUMNS.map((column) => sortHead(column, order, choose))));
  const rows = page.items.map((item) => cohortRow(item, scope, (tag) => ask({ tag }, { focus: ['[aria-label="DAG tag"]'] })));
  return h("div", { class: "scroller", role: "region", "aria-label": "Cohorts, scrolls sideways", tabindex: "0" }, h("table", { class: "cohorts" }, h("caption", { class: "unseen" }, "Cohorts"), heads, h("tbody", {}, rows)));
}

/** Of a run or a task that has no cohort: its DAG may have some. */
function notBegun({ run_id: run, task_id: task }) {
  if (!run) return "This task has run no tuned Spark job.";
  return `No tuned Spark job ${task ? "of this task " : ""}has begun in this run yet.`;
}

function nothing(asked, scope) {
  if (asked.search || asked.state || asked.tag || asked.waits || asked.failed) return empty("No cohort matches.", "Change the search or the filters above.");
  if (scope.run_id || scope.task_id) return empty(notBegun(scope), "It appears here when one has started.", h("p", {}, h("a", { href: listAddress(scope) }, "All cohorts of the DAG")));
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
  const step = (words, offset, possible) => h("button", { type: "button", disabled: !possible, "data-step": words, on: { click: () => go(offset, words) } }, words);
  return h(
    "nav",
    { class: "pages", "aria-label": "Pages of cohorts" },
    step("Previous", Math.max(page.offset - LIMIT, 0), page.offset > 0),
    h("span", {}, `${grouped(page.offset + 1)} to ${grouped(last)} of ${grouped(page.total)}`),
    step("Next", page.offset + LIMIT, last < page.total),
  );
}

function choice(label, first, options, asked, ask, name) {
  const select = h("select", { "aria-label": label }, h("option", { value: "" }, first), options.map(([value, words]) => h("option", { value }, words)));
  select.value = asked[name];
  select.addEventListener("change", () => ask({ [name]: select.value }));
  return select;
}

/** The filters: `show(asked, tags)` brings the choices up to date (of the tags last known, if none are given), `write(asked)` the search, in which somebody may be typing. */
function filters(ask) {
  let tags = [];
  const search = h("input", { type: "search", placeholder: "Search cohorts, DAGs, tags", "aria-label": "Search cohorts, DAGs and tags", autocomplete: "off", maxlength: "200" });
  let timer = 0;
  search.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => ask({ search: search.value.trim() }, { as: "search" }), TYPING_MS);
  });
  const choices = h("span", { class: "choices" });
  const element = h("div", { class: "filters", role: "search" }, h("span", { class: "with-icon" }, icon("search"), search), choices);
  const show = (asked, found = tags) => {
    tags = found;
    const focused = document.activeElement?.getAttribute("aria-label");
    const known = tags.includes(asked.tag) || !asked.tag ? tags : [asked.tag, ...tags];
    const states = Object.entries(STATES).map(([state, { words }]) => [state, words]);
    choices.replaceChildren(choice("State", "Every state", states, asked, ask, "state"), known.length ? choice("DAG tag", "Every tag", known.map((tag) => [tag, clipped(tag, 60)]), asked, ask, "tag") : "");
    if (focused === "State" || focused === "DAG tag") choices.querySelector(`[aria-label="${focused}"]`)?.focus();
  };
  const write = (asked) => {
    window.clearTimeout(timer);
    search.value = asked.search;
  };
  return { element, show, write };
}

/** Draws the overview into `main`. */
export function overview(main, scope) {
  let asked = readAsked();
  let calls = new AbortController();
  const top = h("div", {});
  const place = h("div", {});
  const said = h("p", { class: "faint", role: "status" });

  /** What had the focus is drawn anew: it goes to the first of these that is there. */
  const refocus = (selectors) => {
    if (document.activeElement !== document.body) return;
    selectors.map((each) => main.querySelector(each)).find(Boolean)?.focus();
  };

  const load = async ({ focus = [] } = {}) => {
    calls.abort();
    calls = new AbortController();
    place.setAttribute("aria-busy", "true");
    const slow = window.setTimeout(() => (said.textContent = "Loading cohorts…"), SILENT_MS);
    try {
      const { dag_id, task_id, run_id } = scope;
      const page = await api.cohorts({ dag_id, task_id, run_id, ...asked, limit: LIMIT }, { signal: calls.signal });
      window.clearTimeout(slow);
      if (!page.items.length && page.total && asked.offset) return startOver({ focus });
      said.textContent = counted(page.total, "cohort");
      filter.show(asked, page.tags);
      const off = page.off ? h("p", { class: "notice" }, icon("warn"), named(page.off, { limit: 300 })) : "";
      top.replaceChildren(off, cohortTotals(page, asked, ask));
      place.replaceChildren(...[page.items.length ? table(page, scope, asked, ask) : nothing(asked, scope), pages(page, turn)].filter(Boolean));
      refocus(focus);
    } catch (error) {
      window.clearTimeout(slow);
      if (error.name === "AbortError") return undefined;
      said.textContent = "";
      place.replaceChildren(failure(error, load));
    }
    place.removeAttribute("aria-busy");
    return undefined;
  };
  /** What has the focus is drawn anew, too: a person who walks over the table by keys goes on in it. */
  const renew = () => load({ focus: place.contains(document.activeElement) ? [".scroller"] : [] });
  /** A page behind the last, as of an address that was passed on: there are fewer cohorts by now. */
  const startOver = (how) => {
    asked = { ...asked, offset: 0 };
    amend(written(asked));
    return load(how);
  };
  const turn = (offset, step) => ask({ offset }, { focus: [`[data-step=${step}]:not([disabled])`, "[data-step]:not([disabled])"] });
  const ask = (change, { as = "", focus } = {}) => {
    asked = { ...asked, offset: 0, ...change };
    visit(written(asked), { as });
    filter.show(asked);
    return load({ focus });
  };
  onReturn(() => {
    asked = readAsked();
    filter.write(asked);
    filter.show(asked);
    load();
  });

  const filter = filters(ask);
  const title = scope.dag_id ? ["Cohorts of ", named(scope.dag_id, { limit: 120 })] : ["Cohorts"];
  const savings = h("a", { class: "to-savings", href: savingsAddress(scope) }, icon("coins"), "Savings");
  main.replaceChildren(h("div", { class: "title-row" }, h("div", {}, h("h1", {}, ...title), said), filter.element, savings), top, place);
  filter.write(asked);
  filter.show(asked);
  place.replaceChildren(skeleton(6));
  whenSeenAgain(renew, OLD_MS);
  return load();
}
