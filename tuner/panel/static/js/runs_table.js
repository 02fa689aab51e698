// The runs as a table: the same facts as the chart, newest first, some at a time.

import { isThisRun } from "./address.js";
import * as api from "./api.js";
import { isMeasured, runBefore } from "./compared_runs.js";
import { copyButton } from "./copying.js";
import { difference } from "./difference.js";
import { h } from "./element.js";
import { inForceOfRun } from "./in_force_list.js";
import { moreButton } from "./more.js";
import { notShown } from "./opened_from.js";
import { named } from "./printable.js";
import { gainOf } from "./run_kind.js";
import { badge, runState } from "./standing.js";
import { empty } from "./status.js";
import { moment, time } from "./times.js";
import { hours, money, seconds } from "./units.js";

const AT_ONCE = 25;

/** Airflow's page of the run: a frame may not open it, so there its address is to copy. */
function runLink(run) {
  const label = named(run.run_id || run.key, { limit: 90 });
  if (!run.href) return label;
  const address = new URL(`../${run.href.replace(/^\/+/, "")}`, document.baseURI);
  if (!["http:", "https:"].includes(address.protocol) || address.origin !== window.location.origin) return label;
  if (window.top === window) return h("a", { href: address.href }, label);
  return h("span", { class: "run-link" }, label, copyButton(address.href, null, "the address of the run in Airflow"));
}

/** What the run's executors held, busy or idle, and what that cost. */
function held({ allocated_core_hours: cores, allocated_gib_hours: memory, cost }) {
  const amounts = [[cores, "core-hours"], [memory, "GiB-hours"]].filter(([amount]) => amount !== null);
  const told = [...amounts.map(([amount, unit]) => `${hours(amount)} ${unit}`), ...(cost === null ? [] : [`cost ${money(cost)}`])];
  return told.length ? h("div", { class: "faint" }, told.join(", ")) : "";
}

/** Compares the run with the newest one before it that succeeded. */
function compareButton(run, known, compare) {
  const before = api.compare && isMeasured(run) ? runBefore(run, known) : null;
  if (!before) return "";
  const open = () => compare({ before: before.key, after: run.key });
  return h("button", { type: "button", class: "small", "aria-label": `Compare the run of ${moment(run.started_at)} with the one before`, on: { click: open } }, "Compare");
}

function row(run, page, known, compare) {
  const here = isThisRun(run, page.scope);
  const gain = gainOf(run);
  const mapped = run.map_index >= 0 ? ` · map ${run.map_index}` : "";
  return h(
    "tr",
    { class: here ? "here" : "", "data-key": run.key, tabindex: "-1" },
    h("th", { scope: "row", class: "name" }, time(run.started_at), h("div", { class: "faint" }, runLink(run), mapped, run.try_number > 1 ? ` · try ${run.try_number}` : ""), here ? h("span", { class: "here-mark" }, "this run") : "", compareButton(run, known, compare)),
    h("td", {}, badge(runState(run.state, run.ended_at)), run.failure ? h("div", { class: "failed-why" }, named(run.failure, { limit: 200 })) : ""),
    h("td", { class: "number" }, run.query_seconds === null ? h("span", { class: "faint" }, "not measured") : seconds(run.query_seconds)),
    h("td", { class: "number" }, run.band ? [seconds(run.band.expected), h("div", { class: "faint" }, `${seconds(run.band.low)} to ${seconds(run.band.high)}`)] : h("span", { class: "faint" }, "–")),
    h("td", { class: "number" }, gain === null ? h("span", { class: "faint" }, "–") : difference(gain)),
    h("td", { class: "number" }, run.application_seconds === null ? h("span", { class: "faint" }, "–") : seconds(run.application_seconds), held(run)),
    h("td", {}, inForceOfRun(run)),
    h("td", { class: "decision" }, run.mode, h("div", { class: "faint" }, named(run.decision, { limit: 140 }))),
  );
}

const HEADS = [["Run"], ["State"], ["Query time", "number"], ["Expected, nothing in force", "number"], ["Difference", "number"], ["Application", "number"], ["In force"], ["Mode and decision"]];

/** `runs` is the newest page of runs; older ones are asked for. `compare` opens the comparison of two, by their keys. */
export function runsTable(runs, page, compare) {
  if (!runs.total) return empty("No run has been recorded.", "Runs appear here when they have started.");
  const known = [...runs.items];
  const wanted = known.findIndex((run) => (page.run ? run.key === page.run : isThisRun(run, page.scope)));
  const atFirst = Math.max(AT_ONCE, wanted + 1);
  const body = h("tbody", {}, known.slice(0, atFirst).map((run) => row(run, page, known, compare)));
  const add = async (offset) => {
    if (offset >= known.length) known.push(...(await api.runs(page.name, { limit: 100, offset })).items);
    const next = known.slice(offset, offset + AT_ONCE);
    body.append(...next.map((run) => row(run, page, known, compare)));
    return next.length;
  };
  if (page.run) window.requestAnimationFrame(() => body.rows[wanted]?.focus());
  const table = h(
    "table",
    { class: "runs" },
    h("caption", { class: "unseen" }, "Runs, newest first"),
    h("thead", {}, h("tr", {}, HEADS.map(([words, style]) => h("th", { scope: "col", class: style }, words)))),
    body,
  );
  return [notShown(runs, page), h("div", { class: "scroller", role: "region", "aria-label": "Runs, scrolls sideways", tabindex: "0" }, table), moreButton(Math.min(atFirst, known.length), runs.total, add)];
}
