// A cohort in figures.

import { h } from "./element.js";
import { figure } from "./figure.js";
import { named } from "./printable.js";
import { runState } from "./standing.js";
import { time } from "./times.js";
import { counted, grouped, hours, seconds, share } from "./units.js";

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
  return figure("GiB-hours a run", hours(memory), `instead of ${hours(memoryBefore)} as the job asks${change(memory, memoryBefore)}; `, `core-hours ${hours(cores)} instead of ${hours(coresBefore)}${change(cores, coresBefore)}`);
}

function prevented({ at, difference, runs_since: runs, prevented_seconds: gained, prevented: words }) {
  return figure("Prevented a run", seconds(gained), "since ", time(at), " runs have ", named(difference, { limit: 200 }), ` (${counted(runs, "run")}); `, named(words, { limit: 300 }));
}

export function figures(cohort) {
  const { counts, latest_seconds: latest } = cohort;
  return h(
    "dl",
    { class: "figures" },
    figure("Query time, latest run", latest === null ? "–" : seconds(latest), latest === null ? "not measured yet" : counted(cohort.queries, "query", "queries")),
    inForce(counts),
    figure("Runs", grouped(cohort.runs), "last ", time(cohort.last_run_at, { relative: true }), `, ${runState(cohort.last_run_state, cohort.last_has_ended).words.toLowerCase()}`),
    cohort.held ? held(cohort.held) : "",
    cohort.turned ? prevented(cohort.turned) : "",
    cohort.spark_version ? figure("Spark", cohort.spark_version.slice(0, 20), "in the latest measured run") : "",
  );
}
