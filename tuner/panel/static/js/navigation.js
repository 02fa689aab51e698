// Where a person is on this page, as its address: what was opened is a step of the browser's history, and Back returns.

import { readQuery, withQuery } from "./query_string.js";

/** The address's query string by its names, and what stands behind its `#`. */
export function here() {
  const { search, hash } = window.location;
  return { query: Object.fromEntries(readQuery(search)), part: hash.slice(1) };
}

/** This page's address with `changes` to its query string (of null or "" the name goes) and `part` behind its `#`. */
export function addressWith(changes, part = here().part) {
  const path = withQuery(window.location.pathname, { ...here().query, ...changes });
  return part ? `${path}#${part}` : path;
}

/** Goes to that address without loading it. Steps in a row `as` the same thing, such as a search while it is typed, are one. */
export function visit(changes, { part, as = "" } = {}) {
  const again = as !== "" && window.history.state?.as === as;
  const address = addressWith(changes, part);
  const same = new URL(address, window.location.href).href === window.location.href;
  window.history[again || same ? "replaceState" : "pushState"]({ as }, "", address);
}

/** Puts that address in the place of this one: Back leads to where it led before. */
export function amend(changes, { part } = {}) {
  window.history.replaceState(window.history.state, "", addressWith(changes, part));
}

/** Calls `listener` after Back or Forward led to another address of this page. */
export function onReturn(listener) {
  window.addEventListener("popstate", listener);
}

/** A click on a link that this page follows itself: not one that asks for a new tab or window. */
export function isPlain(event) {
  return event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
}
