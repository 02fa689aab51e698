// In a report, every page is this file's own: its front page without a query string, a cohort's with `?cohort=…`.

import { readQuery, withQuery } from "./query_string.js";

function file() {
  return window.location.href.replace(/[?#].*$/s, "");
}

export function readScope(search) {
  return { cohort: readQuery(search).get("cohort") ?? "" };
}

export function cohortAddress(cohort) {
  return withQuery(file(), { cohort });
}

/** A report books nothing. */
export function savingsAddress() {
  return file();
}

export function listAddress() {
  return file();
}

/** A report is opened from no run. */
export function isThisRun() {
  return false;
}
