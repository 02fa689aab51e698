// A step of a plan in words, alike in the picture and in the text.

import { clipped } from "./printable.js";
import { bytes, rows, seconds, share } from "./units.js";

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

function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `Sort merge join`, `Scan`, `Expand`: what the step is. */
export function stepTitle(step) {
  if (step.kind === "join") return clipped(capital(STRATEGIES[step.strategy] ?? step.operator), 40);
  return clipped(KINDS[step.kind] ?? capital(step.label || step.operator), 40);
}

/** What it is of; without the words that its title has already. */
export function stepLabel(step) {
  if (!Object.hasOwn(KINDS, step.kind)) return "";
  const kind = step.kind.toLowerCase();
  const label = step.label.toLowerCase().startsWith(kind) ? step.label.slice(kind.length) : step.label;
  return label.trim();
}

export function builds(step) {
  return step.kind === "join" && step.build_side ? `builds the ${step.build_side} side` : "";
}

/** What it puts out: `1.4M rows`, and bytes where they are known; empty where neither is. */
export function output(step) {
  return [step.rows === null ? "" : rows(step.rows), step.bytes === null ? "" : bytes(step.bytes)].filter(Boolean).join(", ");
}

/** What all steps took together; 0 where none is timed. */
export function allSeconds(steps) {
  return steps.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
}

/** `Scan of lineitem, 12.3 s (45%)`: the step that took the most; empty where none is timed. */
export function costliestWords(steps) {
  const step = steps.find((each) => each.costliest);
  if (!step) return "";
  const of = stepLabel(step) ? ` ${clipped(stepLabel(step), 60)}` : "";
  return `${stepTitle(step)}${of}, ${seconds(step.seconds)} (${share(step.seconds / allSeconds(steps))})`;
}
