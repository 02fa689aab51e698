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

const VALUES = {
  name: (item) => item.query.name.toLowerCase(),
  latest: (item) => item.latest_seconds,
  baseline: (item) => item.baseline_seconds,
  gained: (item) => item.gained_seconds,
  share: (item) => item.share,
  in_force: (item) => item.in_force.length,
};

/** As the panel's server sorts: those without the value last, equals slowest first, as they come. */
function inOrder(items, sort, descending) {
  const value = VALUES[sort];
  const [known, unknown] = [items.filter((item) => value(item) !== null), items.filter((item) => value(item) === null)];
  const compare = (one, other) => (value(one) < value(other) ? -1 : value(one) > value(other) ? 1 : 0);
  return [...known.sort((one, other) => (descending ? compare(other, one) : compare(one, other))), ...unknown];
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
export const queries = async (name, { sort, descending, ...asked }) => {
  const { items, together } = (await about(name)).queries;
  return { ...page(inOrder(items, sort, descending), asked), together };
};
export const plan = async (name, query) => {
  const { plans, queries: found } = await about(name);
  const item = found.items.find((each) => each.query.fingerprint === query) ?? null;
  return plans[query] ?? { query: item?.query ?? { fingerprint: query, name: query }, item, before: null, after: null };
};
/** A report keeps no runs that could be compared, and books nothing. */
export const compare = null;
export const savings = null;
export const audit = async (name, asked) => page((await about(name)).audit, asked);
export const rule = refused;
export const changeMode = refused;
