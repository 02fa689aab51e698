// One recommendation in full: why, by which numbers, what it gains, what may go wrong, and what may be done.

import { copyButton } from "./copying.js";
import { h } from "./element.js";
import { evidenceTable } from "./evidence.js";
import { gainView } from "./gain_view.js";
import { icon } from "./icons.js";
import { clipped, named, printable } from "./printable.js";
import { rulingButtons } from "./rulings.js";
import { IN_FORCE, RULED, STANDINGS, badge } from "./standing.js";
import { time } from "./times.js";
import { counted } from "./units.js";

const MOST_QUERIES = 6;

function verdictLine({ ruling, by, at, reason }) {
  return h("p", { class: "verdict" }, `${RULED[ruling]} by `, named(by, { limit: 60 }), " on ", time(at), reason ? [": ", named(reason, { limit: 300 })] : "");
}

/** `alone`: its row has its words already. */
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

/** When it was in force first, and in how many runs it was measured. */
function sinceLine(item) {
  if (!item.since_at) return "";
  const measured = item.measured_runs ? `, measured in ${counted(item.measured_runs, "run")}` : "";
  const since = IN_FORCE.includes(item.standing) ? "In force since " : "First in force ";
  return h("p", { class: "faint", title: clipped(item.since_run, 300) }, since, time(item.since_at), item.or_earlier ? " or earlier" : "", measured, ".");
}

function riskList({ risk, risks }) {
  const items = risks.map((each) => h("li", { class: each.may_harm ? "harm" : undefined }, each.may_harm ? icon("warn") : "", named(each.words, { limit: 300 })));
  return h("div", { class: "risks" }, h("p", {}, h("span", { class: "faint" }, "Risk: "), risk), items.length ? h("ul", { class: "bare" }, items) : "");
}

/** `list` has what the last ruling answered, and is told of the next. */
export function recommendationDetails(item, page, list) {
  const note = list.note(item.id);
  return h(
    "div",
    { class: "card-body" },
    h(
      "div",
      { class: "why" },
      note ? h("p", { class: "note" }, named(note, { limit: 400 })) : "",
      h("p", { class: "sentence" }, h("span", { class: "faint" }, "Advised: "), named(item.sentence, { limit: 1200 })),
      item.status && item.status !== item.sentence ? h("p", { class: "status-line" }, h("span", { class: "faint" }, "Now: "), named(item.status, { limit: 600 })) : "",
      item.values ? h("p", { class: "faint" }, clipped(item.values, 300)) : "",
      queryLinks(item, page),
      sinceLine(item),
      h("div", { class: "actions" }, item.actions.map((action) => actionView(action, item.standing, item.actions.length === 1))),
      page.cohort.may_act && item.rulings.length ? rulingButtons([item], page, list, item.id) : "",
    ),
    h("div", { class: "numbers" }, gainView(item), riskList(item), evidenceTable(item.evidence)),
  );
}
