// One recommendation: what, why, by which numbers, what it is to gain and gained, where it stands, and what may be done.

import { copyButton } from "./copying.js";
import { h, uniqueId } from "./element.js";
import { evidenceTable } from "./evidence.js";
import { gainView } from "./gain_view.js";
import { clipped, named, printable } from "./printable.js";
import { rulingButtons } from "./rulings.js";
import { STANDINGS, badge } from "./standing.js";
import { time } from "./times.js";
import { counted } from "./units.js";

const MOST_QUERIES = 6;
const IN_FORCE = ["trial", "promoted", "pinned"];
const RULED = { approve: "Approved", reject: "Rejected", pin: "Pinned", rollback: "Rolled back" };

function verdictLine({ ruling, by, at, reason }) {
  return h("p", { class: "verdict" }, `${RULED[ruling]} by `, named(by, { limit: 60 }), " on ", time(at), reason ? [": ", named(reason, { limit: 300 })] : "");
}

/** `alone`: the card's title has its words already. */
function actionView(action, standing, alone) {
  const text = action.copy_text;
  const words = alone ? "" : named(action.words, { limit: 300 });
  const code = h("pre", { class: "code", tabindex: "0", role: "group", "aria-label": "Text to copy" }, h("code", { dir: "ltr" }, clipped(text, 4000)));
  const own = action.standing === standing ? "" : badge(STANDINGS[action.standing]);
  const line = words || own ? h("div", { class: "action-words" }, words, own) : "";
  return h(
    "div",
    { class: "action" },
    line,
    text ? h("div", { class: "code-row" }, code, copyButton(printable(text), code, clipped(action.words, 80))) : "",
    action.verdict ? verdictLine(action.verdict) : "",
  );
}

function queryLinks(item, page) {
  if (!item.queries.length) return "";
  const shown = item.queries.slice(0, MOST_QUERIES).map((query) =>
    h("button", { type: "button", class: "link", title: "Show its plan", on: { click: () => page.openQuery(query) } }, named(query.name, { limit: 60 })),
  );
  const more = item.queries.length - shown.length;
  return h("p", { class: "in-queries" }, h("span", { class: "faint" }, `${counted(item.queries.length, "query", "queries")}: `), ...shown.flatMap((each, index) => (index ? [", ", each] : [each])), more > 0 ? ` and ${more} more` : "");
}

function title(item) {
  const [first, ...others] = item.actions;
  const more = others.length ? ` and ${counted(others.length, "more change")}` : "";
  return h("h3", { tabindex: "-1" }, named(first?.words ?? item.sentence, { limit: 120 }), more);
}

/** `note` is what the last ruling answered; `ruled(item, message)` is called after one. */
export function recommendationCard(item, page, { note, ruled }) {
  const id = uniqueId("recommendation");
  const heading = title(item);
  heading.id = id;
  const since = item.since_at ? h("span", { class: "faint", title: clipped(item.since_run, 300) }, IN_FORCE.includes(item.standing) ? "in force since " : "first in force ", time(item.since_at), item.measured_runs ? `, measured in ${counted(item.measured_runs, "run")}` : "") : "";
  return h(
    "article",
    { class: `card recommendation tone-${STANDINGS[item.standing].tone}`, "aria-labelledby": id, "data-id": item.id },
    h("div", { class: "card-head" }, badge(STANDINGS[item.standing]), heading, since),
    h(
      "div",
      { class: "card-body" },
      h(
        "div",
        { class: "why" },
        h("p", { class: "sentence" }, named(item.sentence, { limit: 1200 })),
        item.status && item.status !== item.sentence ? h("p", { class: "status-line" }, named(item.status, { limit: 600 })) : "",
        item.values ? h("p", { class: "faint" }, clipped(item.values, 300)) : "",
        queryLinks(item, page),
        h("div", { class: "actions" }, item.actions.map((action) => actionView(action, item.standing, item.actions.length === 1))),
        note ? h("p", { class: "note" }, named(note, { limit: 400 })) : "",
        page.cohort.may_act && item.rulings.length ? rulingButtons(item, page, ruled) : "",
      ),
      h("div", { class: "numbers" }, gainView(item), evidenceTable(item.evidence)),
    ),
  );
}
