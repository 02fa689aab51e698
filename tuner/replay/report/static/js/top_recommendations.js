// The recommendations that would have saved most, over all cohorts.

import { cohortAddress } from "./address.js";
import { h, uniqueId } from "./element.js";
import { evidenceTable } from "./evidence.js";
import { gainView } from "./gain_view.js";
import { hours } from "./hours.js";
import { moreButton } from "./more.js";
import { named } from "./printable.js";
import { STANDINGS, badge } from "./standing.js";
import { empty } from "./status.js";
import { counted } from "./units.js";

const AT_ONCE = 10;
const MOST_WORDS = 4;
const MOST_QUERIES = 6;

function cohortLink(item) {
  const name = named(item.cohort, { limit: 100 });
  return item.page === null ? name : h("a", { href: `${cohortAddress(item.cohort)}#recommendations` }, name);
}

function changes(words) {
  if (words.length < 2) return "";
  const more = words.length - MOST_WORDS;
  return h("ul", { class: "bare mono changes" }, words.slice(0, MOST_WORDS).map((each) => h("li", {}, named(each, { limit: 200 }))), more > 0 ? h("li", {}, `and ${more} more`) : "");
}

function queries(item) {
  if (!item.queries.length) return "";
  const shown = item.queries.slice(0, MOST_QUERIES).map((query) => named(query.description || query.fingerprint, { limit: 60 }));
  const more = item.queries.length - shown.length;
  return h("p", { class: "in-queries" }, h("span", { class: "faint" }, `${counted(item.queries.length, "query", "queries")}: `), shown.flatMap((each, index) => (index ? [", ", each] : [each])), more > 0 ? ` and ${more} more` : "");
}

function card(item, place) {
  const id = uniqueId("top");
  const others = item.words.length > 1 ? ` and ${counted(item.words.length - 1, "more change")}` : "";
  return h(
    "article",
    { class: `card recommendation tone-${STANDINGS[item.standing].tone}`, "aria-labelledby": id },
    h("div", { class: "card-head" }, h("span", { class: "rank" }, `${place}.`), h("h3", { id }, named(item.words[0], { limit: 140 }), others), h("span", { class: "at-most" }, h("strong", { class: "better" }, hours(item.core_hours)), " core-hours")),
    h(
      "div",
      { class: "card-body" },
      h(
        "div",
        { class: "why" },
        h("p", {}, h("span", { class: "faint" }, "Cohort: "), cohortLink(item), h("span", { class: "faint" }, ` · ${counted(item.runs, "run")} went without it · in the newest decision on it `), badge(STANDINGS[item.standing])),
        h("p", { class: "sentence" }, named(item.sentence, { limit: 1200 })),
        changes(item.words),
        queries(item),
      ),
      h("div", { class: "numbers" }, gainView({ predicted: item.predicted }), evidenceTable(item.evidence)),
    ),
  );
}

export function topSection(front) {
  const all = front.recommendations;
  const list = h("div", { class: "cards" }, all.slice(0, AT_ONCE).map((item, index) => card(item, index + 1)));
  const add = async (offset) => {
    const next = all.slice(offset, offset + AT_ONCE);
    list.append(...next.map((item, index) => card(item, offset + index + 1)));
    return next.length;
  };
  const left = front.recommendations_in_all - all.length;
  const body = all.length ? [list, moreButton(Math.min(AT_ONCE, all.length), all.length, add)] : empty("No recommendation.", "At no run did a change promise more than it risked.");
  return h(
    "section",
    { class: "top-recommendations", "aria-labelledby": "top-title" },
    h("h2", { id: "top-title" }, "What would have saved most"),
    h("p", { class: "faint" }, "Each change over all runs that it was advised for and that went without it; seconds are sums over these runs.", left > 0 ? ` ${counted(left, "smaller one")} ${left === 1 ? "is" : "are"} on the pages of cohorts only.` : ""),
    body,
  );
}
