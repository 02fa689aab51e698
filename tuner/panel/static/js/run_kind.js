// What steered a run, as one of a few kinds that the chart, its legend and the table show alike.

export const KINDS = {
  untouched: { words: "Nothing in force", symbol: "symbolCircle", filled: false },
  trial: { words: "Something on trial", symbol: "symbolTriangle", filled: true },
  proven: { words: "Only promoted or pinned", symbol: "symbolSquare", filled: true },
  failed: { words: "Failed", symbol: "symbolTimes", filled: false },
  unmeasured: { words: "Not measured", symbol: "symbolPlus", filled: false },
};

export function kindOf(run) {
  if (run.state === "failed") return "failed";
  if (run.query_seconds === null) return "unmeasured";
  if (run.in_force.length === 0) return "untouched";
  return run.in_force.some((each) => each.standing === "trial") ? "trial" : "proven";
}

/** Seconds less than expected with nothing in force; null where either is not known. */
export function gainOf(run) {
  return run.query_seconds === null || run.band === null ? null : run.band.expected - run.query_seconds;
}
