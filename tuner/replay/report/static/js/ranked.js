// A list on the front page of a report: the first few as cards, more when a person wants them.

import { h, uniqueId } from "./element.js";
import { moreButton } from "./more.js";
import { counted } from "./units.js";

/** A section of `items`, of `total` that there are; `card(item, place)` draws one, `none` stands where there is none. */
export function rankedSection({ title, about, items, total, card, none, atOnce }) {
  const id = uniqueId("ranked");
  const cards = (from) => items.slice(from, from + atOnce).map((item, index) => card(item, from + index + 1));
  const list = h("div", { class: "cards" }, cards(0));
  const add = async (offset) => {
    const next = cards(offset);
    list.append(...next);
    return next.length;
  };
  const left = total - items.length;
  const others = left > 0 ? ` ${counted(left, "smaller one")} ${left === 1 ? "is" : "are"} on the pages of cohorts only.` : "";
  return h(
    "section",
    { class: "ranked", "aria-labelledby": id },
    h("h2", { id }, title),
    h("p", { class: "faint" }, about, others),
    items.length ? [list, moreButton(Math.min(atOnce, items.length), items.length, add)] : none,
  );
}
