// Text from logs as people may safely look at it: nothing in it hides, turns the writing round, or goes on for ever.

import { h } from "./element.js";

const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const MOST_TITLE = 2000;

/** Control characters, marks that turn the direction of writing, zero-width ones and tags become U+FFFD. */
export function printable(text) {
  return String(text).replace(HIDDEN, "\ufffd");
}

/** At most `limit` characters of printable text. */
export function clipped(text, limit = 240) {
  const whole = printable(text);
  return whole.length > limit ? `${whole.slice(0, limit - 1)}…` : whole;
}

/** A name in an element of its own direction; what is cut off stands in its title. */
export function named(text, { limit = 240, tag = "span", ...properties } = {}) {
  const short = clipped(text, limit);
  const cut = String(text).length > limit;
  return h(tag, { dir: "auto", title: cut ? clipped(text, MOST_TITLE) : undefined, ...properties }, short);
}
