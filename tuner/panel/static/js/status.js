// What stands where data will be: a skeleton, a sentence where there is none, or what went wrong with a way on.

import { h } from "./element.js";
import { icon } from "./icons.js";
import { clipped } from "./printable.js";

export function skeleton(lines = 3) {
  return h(
    "div",
    { class: "skeleton", "aria-busy": "true" },
    h("span", { class: "unseen" }, "Loading…"),
    Array.from({ length: lines }, (_, line) => h("div", { class: "bone", style: { width: `${92 - ((line * 17) % 40)}%` } })),
  );
}

export function empty(title, ...sentences) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), ...sentences.map((each) => (typeof each === "string" ? h("p", {}, each) : each)));
}

const TITLES = { 0: "No answer", 401: "Signed out", 403: "No permission", 404: "Not found", 409: "Changed meanwhile" };

export function failure(error, retry) {
  const title = TITLES[error.status] ?? "That did not work";
  const final = [401, 403, 404].includes(error.status);
  const again = retry && !(final && error.status !== 401) ? h("button", { type: "button", on: { click: retry } }, "Try again") : null;
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("p", { class: "failure-title" }, icon("warn"), title),
    h("p", { dir: "auto" }, clipped(error.message, 600)),
    again,
  );
}

/** What was done, as `message` says, where the page could not be loaded anew to show it. */
export function unseen(message, error, retry) {
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("p", { class: "failure-title" }, icon("warn"), "Done, but not shown yet"),
    h("p", { dir: "auto" }, clipped(message, 400)),
    h("p", { dir: "auto" }, "The page could not be loaded anew. ", clipped(error.message, 600)),
    h("button", { type: "button", on: { click: retry } }, "Load anew"),
  );
}

// Which question a place waits for: an answer to an earlier one comes too late.
const asked = new WeakMap();

/** Fills `place` with what `render` makes of what `load` answers; a failure shows itself, with a retry. */
export async function loadInto(place, load, render, { lines = 4 } = {}) {
  const question = {};
  asked.set(place, question);
  place.replaceChildren(skeleton(lines));
  try {
    const data = await load();
    if (asked.get(place) === question) place.replaceChildren(...[render(data)].flat());
  } catch (error) {
    if (error.name === "AbortError" || asked.get(place) !== question) return;
    if (error.status === undefined) console.error(error);
    place.replaceChildren(failure(error, () => loadInto(place, load, render, { lines })));
  }
}
