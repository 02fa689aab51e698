// What changed lately: since yesterday, or since the latest run where that was longer ago.

const DAY = 86_400_000;

function start(cohort) {
  return Math.min(Date.now() - DAY, new Date(cohort.last_run_at).getTime());
}

/** Whether a recommendation came to stand where it stands lately. */
export function changedLately(item, cohort) {
  return item.stands_since !== null && new Date(item.stands_since).getTime() >= start(cohort);
}

/** `since yesterday`, or `since the latest run`. */
export function latelyWords(cohort) {
  return new Date(cohort.last_run_at).getTime() >= Date.now() - DAY ? "since yesterday" : "since the latest run";
}
