// A cohort in five figures.

import { difference } from "./difference.js";
import { h } from "./element.js";
import { RUN_STATES } from "./standing.js";
import { time } from "./times.js";
import { counted, grouped, measured, seconds, share } from "./units.js";

function figure(label, value, ...below) {
  return h("div", { class: "figure" }, h("dt", {}, label), h("dd", {}, h("div", { class: "value" }, value), h("div", { class: "below" }, ...below)));
}

function gained({ baseline_seconds: baseline, latest_seconds: latest }) {
  if (baseline === null || latest === null) return figure("Gain, latest run", "–", "known once a run with changes is measured");
  const gain = baseline - latest;
  const part = baseline > 0 ? `${share(Math.abs(gain) / baseline)} of ${seconds(baseline)}` : `of ${seconds(baseline)}`;
  return figure("Gain, latest run", difference(gain), part, " with nothing in force");
}

function inForce(counts) {
  const parts = [
    [counts.promoted, "promoted"],
    [counts.pinned, "pinned"],
    [counts.trial, "on trial"],
  ].filter(([number]) => number);
  const total = parts.reduce((sum, [number]) => sum + number, 0);
  return figure("In force", grouped(total), parts.map(([number, words]) => `${number} ${words}`).join(", ") || "no change");
}

/** What a run holds with the sizes that it has now, against those that the job asks for. */
function held({ core_hours: cores, core_hours_before: coresBefore, gib_hours: memory, gib_hours_before: memoryBefore }) {
  const change = (now, before) => (before > 0 && Math.abs(before - now) >= before / 200 ? ` (${share(Math.abs(before - now) / before)} ${now > before ? "more" : "less"})` : "");
  return figure("GiB-hours a run", measured(memory, ""), `instead of ${measured(memoryBefore, "")} as the job asks${change(memory, memoryBefore)}; `, `core-hours ${measured(cores, "")} instead of ${measured(coresBefore, "")}${change(cores, coresBefore)}`);
}

export function figures(cohort) {
  const { counts, latest_seconds: latest } = cohort;
  const proposed = counts.proposed ?? 0;
  return h(
    "dl",
    { class: "figures" },
    figure("Query time, latest run", latest === null ? "–" : seconds(latest), latest === null ? "not measured yet" : counted(cohort.queries, "query", "queries")),
    gained(cohort),
    inForce(counts),
    figure("Proposed", grouped(proposed), proposed ? (cohort.mode === "auto" ? "tried one step at a time" : "wait for a person") : "nothing waits"),
    figure("Runs", grouped(cohort.runs), "last ", time(cohort.last_run_at, { relative: true }), `, ${RUN_STATES[cohort.last_run_state].words.toLowerCase()}`),
    cohort.held ? held(cohort.held) : "",
    cohort.spark_version ? figure("Spark", cohort.spark_version.slice(0, 20), "in the latest measured run") : "",
  );
}
