// The page of a bench starts here.

import { runLines } from "./bench_lines.js";
import { queryDots } from "./bench_dots.js";
import { contenderTable, queryTable } from "./bench_tables.js";
import { saidOf } from "./bench_said.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { choose, current, follow } from "./theme.js";
import { time } from "./times.js";
import { seconds } from "./units.js";

const data = JSON.parse(document.getElementById("bench").textContent);

function themeButton() {
  const button = h("button", { type: "button", class: "plain", "aria-label": "Use the other theme" }, icon("sun"), "Theme");
  button.addEventListener("click", () => choose(current() === "dark" ? "light" : "dark"));
  return button;
}

function card(title, note, ...content) {
  return h("section", { class: "card" }, h("div", { class: "card-head" }, h("h3", {}, title)), h("div", { class: "card-inside" }, h("p", { class: "faint" }, note), ...content));
}

function heading() {
  const [spark] = data.contenders;
  return h(
    "div",
    {},
    h("h2", {}, data.title),
    h("p", { class: "faint" }, `${spark.queries.length} queries, ${data.learning_runs} runs and ${data.repeats} repeats; ${data.machine}; `, time(data.written_at), `, version ${data.version}`),
  );
}

follow();
document.getElementById("top").replaceChildren(h("span", { class: "brand" }, icon("gear"), "Spark tuner: bench"), h("span", { class: "who" }), themeButton());
document.getElementById("main").append(
  h(
    "div",
    { class: "report" },
    heading(),
    card("What each gains, and what it costs", "Speed-ups are against Spark's defaults: in the same round for a run, of the medians over the repeats in the end. Slower: queries slower than by default by more than 5 %, by a test over repeated measurements. Only queries that both finished are compared.", contenderTable(data)),
    card("Query time of each run", "Seconds of all queries together; a failed query counts what it took and a run by default.", runLines(data, (run) => run.seconds, seconds)),
    card("All time so far, with tuning", "Query time so far, and what deciding, reading logs and gathering statistics took.", runLines(data, (run) => run.cumulative_seconds, seconds)),
    card("Each query in the end", "Times as fast as by default; right of the line is faster.", queryDots(data), queryTable(data)),
    saidOf(data),
  ),
);
