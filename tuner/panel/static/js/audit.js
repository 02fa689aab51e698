// What people did, newest first.

import * as api from "./api.js";
import { h } from "./element.js";
import { moreButton } from "./more.js";
import { named } from "./printable.js";
import { RULED } from "./standing.js";
import { empty, loadInto } from "./status.js";
import { time } from "./times.js";

const LIMIT = 50;
const DID = { ...RULED, import: "Imported", mode: "Changed the mode", objective: "Changed the objective" };

function what(item) {
  if (item.did === "objective") return item.objective ? `to ${item.objective}` : "back to the job's own";
  if (item.did === "mode") return item.mode ? `to ${item.mode}` : "back to the job's own";
  return named(item.words || item.change_id, { limit: 160 });
}

function row(item) {
  return h(
    "tr",
    {},
    h("td", { class: "when" }, time(item.at)),
    h("td", {}, named(item.by, { limit: 60 })),
    h("td", {}, DID[item.did]),
    h("td", { class: "wide" }, what(item)),
    h("td", { class: "wide" }, item.reason ? named(item.reason, { limit: 400 }) : h("span", { class: "faint" }, "–")),
  );
}

/** Fills `panel` with the cohort's audit trail. */
export function auditTrail(panel, page) {
  const draw = (found) => {
    page.counted("audit", found.total);
    if (!found.total) return empty("Nobody has acted on this cohort.", "Approvals, rejections, pins, roll-backs, imports and changes of mode or objective are listed here, with who did it and why.");
    const body = h("tbody", {}, found.items.map(row));
    const add = async (offset) => {
      const next = await api.audit(page.name, { limit: LIMIT, offset });
      body.append(...next.items.map(row));
      return next.items.length;
    };
    const head = ["When", "Who", "Did", "What", "Reason"].map((words) => h("th", { scope: "col" }, words));
    const table = h("table", {}, h("caption", { class: "unseen" }, "Audit trail, newest first"), h("thead", {}, h("tr", {}, head)), body);
    return [h("div", { class: "scroller", role: "region", "aria-label": "Audit trail, scrolls sideways", tabindex: "0" }, table), moreButton(found.items.length, found.total, add)];
  };
  return loadInto(panel, () => api.audit(page.name, { limit: LIMIT, offset: 0 }), draw);
}
