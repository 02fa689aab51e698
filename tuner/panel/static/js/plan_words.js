// A step of a plan in words, alike in the picture and in the text.

import { clipped } from "./printable.js";
import { bytes, rows } from "./units.js";

const STRATEGIES = {
  BroadcastHashJoin: "broadcast hash join",
  ShuffledHashJoin: "shuffled hash join",
  SortMergeJoin: "sort merge join",
  CartesianProduct: "cartesian product",
  BroadcastNestedLoopJoin: "broadcast nested loop join",
};

const KINDS = {
  scan: "Scan",
  filter: "Filter",
  shuffle: "Shuffle",
  broadcast: "Broadcast",
  join: "Join",
  aggregate: "Aggregate",
  window: "Window",
  union: "Union",
};

/** `Sort merge join`, `Scan`: what the step is. */
export function stepTitle(step) {
  const words = step.kind === "join" ? (STRATEGIES[step.strategy] ?? step.operator) : (KINDS[step.kind] ?? step.operator);
  return clipped(words.charAt(0).toUpperCase() + words.slice(1), 40);
}

export function builds(step) {
  return step.kind === "join" && step.build_side ? `builds the ${step.build_side} side` : "";
}

/** What it puts out: `1.4M rows`, and bytes where they are known; empty where neither is. */
export function output(step) {
  return [step.rows === null ? "" : rows(step.rows), step.bytes === null ? "" : bytes(step.bytes)].filter(Boolean).join(", ");
}
