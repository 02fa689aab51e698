// A query's name as a link to its page, which this page opens itself.

import { h } from "./element.js";
import { addressWith, isPlain } from "./navigation.js";
import { named } from "./printable.js";

/** `query`: {fingerprint, name}; `page.openQuery` opens it. */
export function queryLink(query, page, limit = 110) {
  const open = (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    page.openQuery(query);
  };
  return h("a", { href: addressWith({ query: query.fingerprint }, "queries"), "data-query": query.fingerprint, on: { click: open } }, named(query.name, { limit }));
}
