// A recommendation on the front page of a report.

import { cohortAddress } from "./address.js";
import { h, uniqueId } from "./element.js";
import { evidenceTable } from "./evidence.js";
import { gainView } from "./gain_view.js";
import { hours } from "./hours.js";
import { named } from "./printable.js";
import { STANDINGS, badge } from "./standing.js";
import { counted } from "./units.js";

const MOST_WORDS = 4;
const MOST_QUERIES = 6;

/** The cohort by its name, and the way to a part of its page where it has one. */
export function cohortLink(item, part) {
  const name = named(item.cohort, { limit: 100 });
  return item.page === null ? name : h("a", { href: `${cohortAddress(item.cohort)}#${part}` }, name);
}

function changes(words) {
  if (words.length < 2) return "";
  const more = words.length - MOST_WORDS;
  return h("ul", { class: "bare mono changes" }, words.slice(0, MOST_WORDS).map((each) => h("li", {}, named(each, { limit: 200 }))), more > 0 ? h("li", {}, `and ${more} more`) : "");
}

function queries(item) {
  if (!item.queries.length) return "";
  const shown = item.queries.slice(0, MOST_QUERIES).map((query) => named(query.name, { limit: 60 }));
  const more = item.queries.length - shown.length;
  return h("p", { class: "in-queries" }, h("span", { class: "faint" }, `${counted(item.queries.length, "query", "queries")}: `), shown.flatMap((each, index) => (index ? [", ", each] : [each])), more > 0 ? ` and ${more} more` : "");
}

/** `place` in its list; its cohort, why, and what it would save. */
export function topCard(item, place) {
  const id = uniqueId("top");
  const others = item.words.length > 1 ? ` and ${counted(item.words.length - 1, "more change")}` : "";
  return h(
    "article",
    { class: `card recommendation tone-${STANDINGS[item.standing].tone}`, "aria-labelledby": id },
    h("div", { class: "card-head" }, h("span", { class: "rank" }, `${place}.`), h("h3", { id }, named(item.words[0], { limit: 140 }), others), h("span", { class: "at-most" }, h("strong", { class: "better" }, hours(item.core_hours)), item.runs ? " core-hours" : " core-hours of one run")),
    h(
      "div",
      { class: "card-body" },
      h(
        "div",
        { class: "why" },
        h("p", {}, h("span", { class: "faint" }, "Cohort: "), cohortLink(item, "recommendations"), h("span", { class: "faint" }, item.runs ? ` · ${counted(item.runs, "run")} went without it · in the newest decision on it ` : " · in the next run "), badge(STANDINGS[item.standing])),
        h("p", { class: "sentence" }, named(item.sentence, { limit: 1200 })),
        item.already_set ? h("p", { class: "faint" }, named(item.already_set, { limit: 400 })) : "",
        changes(item.words),
        queries(item),
      ),
      h("div", { class: "numbers" }, gainView({ predicted: item.predicted }), evidenceTable(item.evidence)),
    ),
  );
}
