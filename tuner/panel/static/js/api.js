// The API next to this page. Every failure is an ApiError that says what, why and what to do.

import { withQuery } from "./query_string.js";

export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const WORDS = {
  0: "The server did not answer. Check that it runs and that you are online, then try again.",
  401: "You are signed out. Sign in, then open this page again.",
  403: "You have no permission for this. Ask for access to the DAG.",
  404: "There is nothing here, or you may not read it.",
};

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, WORDS[0]);
  }
  const body = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return null;
  });
  if (response.ok && body !== null) return body;
  // A proxy that answers with its page to sign in, in place of the API.
  if (response.ok && (response.headers.get("content-type") ?? "").startsWith("text/html")) throw new ApiError(401, WORDS[401]);
  const detail = typeof body?.detail === "string" ? body.detail : "";
  throw new ApiError(response.status, detail || WORDS[response.status] || `The server answered ${response.status}. Try again; its log says more.`);
}

function post(path, body) {
  return answer(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

const get = (path, query = {}, options = {}) => answer(withQuery(path, query), options);

export const session = () => get("api/session");
export const cohorts = (query, options) => get("api/cohorts", query, options);
export const savings = (query) => get("api/savings", query);
export const cohort = (name) => get("api/cohort", { cohort: name });
export const runs = (name, page) => get("api/cohort/runs", { cohort: name, ...page });
export const recommendations = (name, page) => get("api/cohort/recommendations", { cohort: name, ...page });
export const insights = (name, page) => get("api/cohort/insights", { cohort: name, ...page });
export const queries = (name, page) => get("api/cohort/queries", { cohort: name, ...page });
export const plan = (name, query) => get("api/cohort/plan", { cohort: name, query });
export const compare = (name, { before, after }) => get("api/cohort/compare", { cohort: name, before, after });
export const audit = (name, page) => get("api/cohort/audit", { cohort: name, ...page });
export const rule = (request) => post("api/cohort/rulings", request);
export const changeMode = (request) => post("api/cohort/mode", request);
