// The figures of the plots, as tables.

import { rounds } from "./bench_picture.js";
import { h } from "./element.js";
import { grouped, seconds } from "./units.js";

const times = (ratio) => (ratio === null ? "–" : `${ratio.toFixed(2)}x`);

function table(caption, heads, rows) {
  const head = heads.map((words, n) => h("th", { scope: "col", class: n ? "number" : null }, words));
  return h(
    "div",
    { class: "scroller", role: "region", "aria-label": `${caption}, scrolls sideways`, tabindex: "0" },
    h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
  );
}

function row(name, ...cells) {
  return h("tr", {}, h("th", { scope: "row" }, name), cells.map((cell) => h("td", { class: "number" }, cell)));
}

export function contenderTable(data) {
  const numbers = rounds(data.contenders);
  const heads = ["", ...numbers.map((n) => `run ${n}`), "in the end", "geometric mean", "best 16", "90 % of it at", "slower", "failed", "all time, with tuning", "core-seconds held", "CPU s"];
  const rows = data.contenders.map((c, position) => {
    const byNumber = new Map(c.runs.map((run) => [run.run, times(run.speed_up)]));
    const ninety = position && c.runs_to_90_percent ? `run ${c.runs_to_90_percent}` : "–";
    return row(c.title, ...numbers.map((n) => byNumber.get(n) ?? "–"), times(c.speed_up), times(c.geometric_mean), times(c.best_geometric_mean), ninety, c.tested_for_slower ? c.slower.join(", ") || "none" : position ? "not tested" : "–", c.queries.filter(({ finished }) => !finished).length.toString(), seconds(c.cumulative_seconds), ...[c.allocated_core_seconds, c.cpu_seconds].map((used) => (used === null ? "–" : grouped(Math.round(used)))));
  });
  return table("Contenders", heads, rows);
}

function cell(query) {
  if (!query.finished) return [h("span", { class: "worse" }, "failed")];
  const style = query.slower ? "worse" : query.speed_up > 1.05 ? "better" : "";
  const marks = [query.slower ? "slower" : "", query.other_rows ? "other rows" : "", query.rows_vary ? "by default its rows vary" : "", query.default_finished ? "" : "by default it fails"].filter(Boolean).join(", ");
  return [h("span", { class: style }, `${seconds(query.final_seconds)}${query.default_finished && !query.other_rows ? `, ${times(query.speed_up)}` : ""}`), marks ? h("div", { class: "faint" }, marks) : ""];
}

export function queryTable(data) {
  const [spark, ...others] = data.contenders;
  const rows = spark.queries.map((query, n) => row(query.query, query.finished ? seconds(query.final_seconds) : "failed", ...others.map((c) => cell(c.queries[n]))));
  return table("Queries, seconds in the end", ["query", ...data.contenders.map((c) => c.name)], rows);
}
