// What an engineer on call looks for first: what needs a person, what changed, what it gained, what may harm; each leads there.

import { h } from "./element.js";
import { intervalWords } from "./gain_words.js";
import { difference } from "./difference.js";
import { icon } from "./icons.js";
import { latelyWords } from "./lately.js";
import { notShown } from "./opened_from.js";
import { named } from "./printable.js";
import { filtered } from "./recommendation_filters.js";
import { gainOf } from "./run_kind.js";
import { RUN_STATES, STANDINGS } from "./standing.js";
import { failure } from "./status.js";
import { ago } from "./times.js";
import { counted, seconds } from "./units.js";

// Worst first.
const NOT_GOOD = ["failed", "lost", "partial"];

function cell(label, value, below, tone = "") {
  return h("div", { class: `figure glance-cell ${tone}` }, h("dt", {}, label), h("dd", {}, h("div", { class: "value" }, value), h("div", { class: "below" }, below)));
}

function way(words, on) {
  return h("button", { type: "button", class: "link", on: { click: on } }, words);
}

/** Those that have ended of the newest DAG run of which one has, since it was cleared: of each instance the last try. */
function lastRound(runs, { last_round_at: began }) {
  const ended = runs.filter((each) => each.state !== "running" || each.ended_at);
  const isSince = (each) => began === null || Date.parse(each.started_at) >= Date.parse(began);
  const isBeside = (each) => each.run_id && ["dag_id", "run_id", "task_id"].every((of) => each[of] === ended[0][of]);
  const isOfIt = (each) => each === ended[0] || (isBeside(each) && isSince(each));
  const tries = new Map(ended.filter(isOfIt).reverse().map((each) => [each.map_index, each]));
  return [...tries.values()];
}

/** What lists tell of the last round, where what did not end well in it is older than the runs that were loaded. */
function olderRun(page) {
  const { last_ended_state: ended, last_round_at: began } = page.cohort;
  if (!NOT_GOOD.includes(ended)) return "";
  const runs = way([`Last run: ${RUN_STATES[ended].words.toLowerCase()}, ${ago(began)}`], () => page.openRuns());
  return h("div", { class: "harm" }, icon("warn"), runs, h("div", { class: "failed-why" }, "further down in Runs"));
}

/** What did not end well of the newest that has ended: while it is tried again, too. */
function lastRun(page, { items: runs, total }) {
  const round = lastRound(runs, page.cohort);
  const bad = NOT_GOOD.flatMap((state) => round.filter((each) => each.state === state));
  if (!bad.length) return olderRun(page);
  const [run] = bad;
  const steered = run.in_force.length ? " with changes in force" : "";
  const isWhole = runs.length === total || Date.parse(runs.at(-1).started_at) < Date.parse(page.cohort.last_round_at);
  const among = isWhole && round.length > 1 ? `, ${bad.length} of ${counted(round.length, "instance")}` : "";
  const when = way([`Last run: ${RUN_STATES[run.state].words.toLowerCase()}${steered}${among}, ${ago(run.started_at)}`], () => page.openRuns(run.key));
  return h("div", { class: "harm" }, icon("warn"), when, run.failure ? h("div", { class: "failed-why" }, named(run.failure, { limit: 200 })) : "");
}

function needs(page, items, runs) {
  const waiting = filtered(items, "waits", page.cohort).length;
  const last = lastRun(page, runs);
  const [tone, label] = [waiting || last ? "asks" : "", page.cohort.may_act ? "Needs you" : "Needs a person"];
  if (waiting) return cell(label, way(`${counted(waiting, "change")} ${waiting === 1 ? "waits" : "wait"}`, () => page.openRecommendations("waits")), last || "to be approved or rejected", tone);
  const { mode, mode_setting: setting } = page.cohort;
  const none = setting.off ? "steering is off" : mode === "observe" && setting.is_known ? "mode observe only records runs" : "no change waits";
  return cell(label, last ? "The last run" : "Nothing", last || none, tone);
}

/** `2 promoted, 1 on trial`. */
function standings(items) {
  const counts = Object.entries(STANDINGS).map(([standing, { words }]) => [items.filter((item) => item.standing === standing).length, words.toLowerCase()]);
  return counts.filter(([number]) => number).map(([number, words]) => `${number} ${words}`).join(", ");
}

function changed(page, items) {
  const found = filtered(items, "changed", page.cohort);
  const label = `Changed ${latelyWords(page.cohort)}`;
  if (!found.length) return cell(label, "Nothing", counted(page.cohort.runs, "run"));
  const out = found.some((item) => item.standing === "rolled_back");
  return cell(label, way(counted(found.length, "change"), () => page.openRecommendations("changed")), standings(found), out ? "warned" : "");
}

/** What a run was without on purpose, so that it took longer than it need have. */
function leftOut(run) {
  return run?.left_out.length ? `; ${counted(run.left_out.length, "change")} left out once, to compare` : "";
}

function notKnown(run) {
  if (!run) return "no run was measured";
  if (run.in_force.length && run.band) return "nothing that was in force reached a query";
  if (run.in_force.length) return "too little of it was measured without changes";
  return run.sizes.length ? "sizes alone were in force" : "nothing was in force to compare";
}

/** What a run gained, by the band of what it would have taken; by what lists have, which look at older runs, too, where the runs in view tell nothing. */
function gainOfLatest(run, { gained: listed, query_seconds: took, baseline_seconds: without }) {
  if (!run || !run.in_force.length || (run.band && without === null)) return null;
  if (run.band) return { seconds: gainOf(run), low: run.band.low - run.query_seconds, high: run.band.high - run.query_seconds };
  return took === run.query_seconds ? listed : null;
}

/** What the newest measured run gained. */
function gained(page, runs) {
  const run = runs.find((each) => each.query_seconds !== null);
  const gain = gainOfLatest(run, page.cohort);
  if (!gain) return cell("Gained, latest run", "–", notKnown(run) + leftOut(run));
  const below = `90% sure: ${intervalWords(gain.low, gain.high)}, of ${seconds(run.query_seconds + gain.seconds)}${leftOut(run)}`;
  return cell("Gained, latest run", way(difference(gain.seconds), () => page.openRuns(run.key)), below);
}

function risky(page, items) {
  const found = filtered(items, "harm", page.cohort);
  if (!found.length) return cell("May harm", "Nothing known", items.length ? "of what is in force or waits" : "no change");
  return cell("May harm", way(counted(found.length, "change"), () => page.openRecommendations("harm")), standings(found), "warned");
}

/** Fills `place` once its recommendations and its runs are there. */
export async function drawGlance(place, page) {
  try {
    const [{ items }, runs] = await Promise.all([page.recommendations(), page.runs()]);
    place.replaceChildren(h("h2", { class: "unseen", id: "glance-title" }, "At a glance"), notShown(runs, page), h("dl", { class: "figures glance" }, needs(page, items, runs), changed(page, items), gained(page, runs.items), risky(page, items)));
  } catch (error) {
    place.replaceChildren(failure(error, () => drawGlance(place, page)));
  }
}
