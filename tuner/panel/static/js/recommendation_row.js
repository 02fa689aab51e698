// One recommendation as a row, and below it, when it is opened, all that is known of it.

import { h, uniqueId } from "./element.js";
import { isNone, lessOrMore } from "./difference.js";
import { gainStrip } from "./gain_strip.js";
import { headline, intervalWords } from "./gain_words.js";
import { icon } from "./icons.js";
import { changedLately } from "./lately.js";
import { named } from "./printable.js";
import { recommendationDetails } from "./recommendation_details.js";
import { STANDINGS, badge } from "./standing.js";
import { time } from "./times.js";
import { counted } from "./units.js";

export const COLUMNS = 5;

/** What it does, without its query: its group has that. */
function changeWords(item) {
  const [first, ...others] = item.actions;
  return [named(first?.short_words ?? item.sentence, { limit: 120, class: "what" }), others.length ? h("span", { class: "faint" }, ` and ${counted(others.length, "more change")}`) : ""];
}

function gainCell(found, scale) {
  if (!found) return h("td", { class: "faint" }, "–");
  const tone = isNone(found.gain) ? "" : found.gain > 0 ? "better" : "worse";
  const how = h("span", { class: "faint" }, found.kind, found.low === null ? "" : `, ${intervalWords(found.low, found.high)}`);
  return h("td", {}, h("div", { class: `gain-line ${found.kind}` }, gainStrip(found, scale), h("span", {}, h("span", { class: `seconds ${tone}` }, lessOrMore(found.gain)), " ", how)));
}

function standingCell(item, cohort) {
  const lately = changedLately(item, cohort) ? h("span", { class: "faint since" }, time(item.stands_since, { relative: true })) : "";
  const apart = item.waits && item.standing !== "proposed" ? h("span", { class: "faint since" }, "a part waits") : "";
  return h("td", {}, badge(STANDINGS[item.standing]), lately, apart);
}

function riskCell({ risk, risks }) {
  const [first, ...others] = risks;
  const words = first ? [": ", h("span", { class: first.may_harm ? "harm" : "faint" }, first.may_harm ? icon("warn") : "", named(first.words, { limit: 90 }))] : "";
  return h("td", { class: `risk-cell ${risk}` }, h("span", { class: "level" }, risk), words, others.length ? h("span", { class: "faint" }, ` +${others.length}`) : "");
}

/** Its two rows. `list` knows which are open and which are chosen, and is told of both. */
export function recommendationRow(item, page, list, scale) {
  const inside = h("td", { colspan: COLUMNS });
  const below = h("tr", { class: "details", id: uniqueId("details"), hidden: true }, inside);
  const words = changeWords(item);
  const expander = h("button", { type: "button", class: "expander", "aria-expanded": "false", "aria-controls": below.id }, icon("right"), h("span", {}, words));
  const toggle = (open) => {
    expander.setAttribute("aria-expanded", String(open));
    below.hidden = !open;
    list.opened(item.id, open);
    if (open && !inside.hasChildNodes()) inside.append(recommendationDetails(item, page, list));
  };
  expander.addEventListener("click", () => toggle(below.hidden));
  const name = expander.textContent;
  const choice = list.canChoose(item) ? h("input", { type: "checkbox", "aria-label": `Select ${name}`, checked: list.isChosen(item.id), on: { change: (event) => list.choose([item.id], event.target.checked) } }) : "";
  const row = h(
    "tr",
    { class: `change-row tone-${STANDINGS[item.standing].tone}${item.waits ? " waits" : ""}`, "data-id": item.id },
    h("td", { class: "choice-cell" }, choice),
    h("th", { scope: "row" }, expander),
    gainCell(headline(item), scale),
    standingCell(item, page.cohort),
    riskCell(item),
  );
  row.addEventListener("click", (event) => {
    if (event.target.closest("button, input, a") || String(window.getSelection())) return;
    toggle(below.hidden);
  });
  if (list.isOpen(item.id)) toggle(true);
  return [row, below];
}
