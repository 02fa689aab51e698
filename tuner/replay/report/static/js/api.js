// In a report, the panel's questions are answered out of the page itself.

import { answers, front } from "./report_data.js";

export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const NO_ACTING = "A report changes nothing. To approve, reject, pin or roll back, open the history with spark-tuner ui.";

function page(items, { limit = 50, offset = 0 } = {}) {
  return { items: items.slice(offset, offset + limit), total: items.length, offset, limit };
}

function row(name) {
  const found = front().cohorts.find((each) => each.cohort === name);
  if (!found) throw new ApiError(404, "This report has no cohort of that name.");
  return found;
}

async function about(name) {
  const { page: number } = row(name);
  if (number === null) throw new ApiError(404, "This cohort has no page in this report: its row in the table of cohorts is all that is here.");
  return answers(number);
}

async function refused() {
  throw new ApiError(403, NO_ACTING);
}

export const session = async () => ({ user: "Replay report", home: "report", version: front().version });
/** Rows of the front page by part of a name, in any case. */
export const cohorts = async ({ search = "", ...asked } = {}) => {
  const wanted = search.trim().toLowerCase();
  return page(front().cohorts.filter((each) => each.cohort.toLowerCase().includes(wanted)), asked);
};
export const cohort = async (name) => (await about(name)).cohort;
export const runs = async (name, asked) => page((await about(name)).runs, asked);
export const recommendations = async (name, asked) => page((await about(name)).recommendations, asked);
export const insights = async (name, asked) => page((await about(name)).insights, asked);
export const queries = async (name, asked) => page((await about(name)).queries, asked);
export const plan = async (name, query) => (await about(name)).plans[query] ?? { query: { fingerprint: query, name: query }, before: null, after: null };
/** A report keeps no runs that could be compared. */
export const compare = null;
export const audit = async (name, asked) => page((await about(name)).audit, asked);
export const rule = refused;
export const changeMode = refused;
