// What only a person can change, over all cohorts that have a page.

import { h, uniqueId } from "./element.js";
import { evidenceTable } from "./evidence.js";
import { hours } from "./hours.js";
import { insightTitle } from "./insights.js";
import { named } from "./printable.js";
import { rankedSection } from "./ranked.js";
import { cohortLink } from "./top_card.js";
import { seconds } from "./units.js";

function card(item, place) {
  const { insight } = item;
  const id = uniqueId("insight");
  return h(
    "article",
    { class: "card insight", "aria-labelledby": id },
    h("div", { class: "card-head" }, h("span", { class: "rank" }, `${place}.`), h("h3", { id }, insightTitle(insight)), insight.operator ? h("span", { class: "faint" }, named(insight.operator, { limit: 80 })) : "", h("span", { class: "at-most" }, "at most ", h("strong", {}, seconds(insight.seconds)), `, ${hours(item.core_hours)} core-hours of one run`)),
    h(
      "div",
      { class: "card-body" },
      h(
        "div",
        { class: "why" },
        h("p", {}, h("span", { class: "faint" }, "Cohort: "), cohortLink(item, "insights"), h("span", { class: "faint" }, " · query: "), named(insight.query.name, { limit: 90 })),
        h("p", { class: "sentence" }, named(insight.reason, { limit: 800 })),
        insight.change ? h("p", {}, h("strong", {}, "To change: "), named(insight.change, { limit: 800 })) : "",
      ),
      h("div", { class: "numbers" }, evidenceTable(insight.evidence)),
    ),
  );
}

export function insightSection(front) {
  if (!front.insights.length) return "";
  return rankedSection({
    title: "What only a person can change",
    about: "Insights of each cohort's newest run, and the most query time that the change can gain in one such run.",
    items: front.insights,
    total: front.insights_in_all,
    card,
    none: "",
    atOnce: 5,
  });
}
