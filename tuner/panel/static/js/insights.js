// What only a person can change in a query, and the most that it can gain.

import * as api from "./api.js";
import { h } from "./element.js";
import { evidenceTable } from "./evidence.js";
import { moreButton } from "./more.js";
import { named } from "./printable.js";
import { queryLink } from "./query_link.js";
import { empty, loadInto } from "./status.js";
import { seconds } from "./units.js";

const LIMIT = 20;

/** `Join order`: its kind in words. */
export function insightTitle({ kind }) {
  const text = kind.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}

function card(item, page) {
  return h(
    "article",
    { class: "card insight" },
    h("div", { class: "card-head" }, h("h3", {}, insightTitle(item)), item.operator ? h("span", { class: "faint" }, named(item.operator, { limit: 80 })) : "", h("span", { class: "at-most" }, "at most ", h("strong", {}, seconds(item.seconds)))),
    h(
      "div",
      { class: "card-body" },
      h(
        "div",
        { class: "why" },
        h("p", { class: "sentence" }, named(item.reason, { limit: 800 })),
        item.change ? h("p", {}, h("strong", {}, "To change: "), named(item.change, { limit: 800 })) : "",
        h("p", {}, h("span", { class: "faint" }, "Query: "), queryLink(item.query, page, 90)),
      ),
      h("div", { class: "numbers" }, evidenceTable(item.evidence)),
    ),
  );
}

/** Fills `panel` with the page's insights. */
export function insightList(panel, page) {
  const list = h("div", { class: "cards" });
  const draw = (found) => {
    page.counted("insights", found.total);
    if (!found.total) return empty("No insight.", "Nothing in the latest measured run asks for a person: no ignored hint, no join that cannot be helped from outside.");
    list.replaceChildren(...found.items.map((item) => card(item, page)));
    const add = async (offset) => {
      const next = await api.insights(page.name, { limit: LIMIT, offset });
      list.append(...next.items.map((item) => card(item, page)));
      return next.items.length;
    };
    return [h("p", { class: "faint cards-say" }, "What only a person can change, and the most query time that the change can gain."), list, moreButton(found.items.length, found.total, add)];
  };
  return loadInto(panel, () => api.insights(page.name, { limit: LIMIT, offset: 0 }), draw, { lines: 6 });
}
