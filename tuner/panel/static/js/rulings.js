// What a person may say of recommendations, of one or of several at once. Rejecting asks for a reason, rolling back says what it
// costs and lets one be given, both inline.

import * as api from "./api.js";
import { h, uniqueId } from "./element.js";
import { icon } from "./icons.js";
import { rollbackCost } from "./rollback_cost.js";
import { failure } from "./status.js";

// As many as one request may hold.
const MOST_CHANGES = 200;

const RULINGS = {
  approve: { words: "Approve", icon: "check" },
  pin: { words: "Pin", icon: "pin", means: "Keeps it in force whatever it measures" },
  reject: { words: "Reject", icon: "cross", asks: "Reason (kept in the audit trail)", needed: true },
  rollback: { words: "Roll back", icon: "back", asks: "Reason (optional, kept in the audit trail)", needed: false, warns: rollbackCost },
};

/** The rulings that make sense for each of these. */
export function rulingsFor(items) {
  return Object.keys(RULINGS).filter((ruling) => items.length && items.every((item) => item.rulings.includes(ruling)));
}

function reasonForm(ruling, items, send, close) {
  const { words, asks, needed, warns } = RULINGS[ruling];
  const warning = warns ? h("p", { class: "cost", id: uniqueId("cost") }, warns(items)) : "";
  const reason = h("textarea", { id: uniqueId("reason"), rows: "2", maxlength: "1000", required: needed, "aria-describedby": warning ? warning.id : undefined });
  const form = h(
    "form",
    { class: "inline-form", "aria-label": words },
    warning,
    h("label", { for: reason.id }, asks),
    reason,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, words), h("button", { type: "button", on: { click: close } }, "Cancel")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (needed && !reason.value.trim()) return reason.focus();
    return send(reason.value.trim());
  });
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  return { form, focus: () => reason.focus() };
}

function changesOf(items) {
  return [...new Set(items.flatMap((item) => item.actions.map((action) => action.change_id)))];
}

/** Buttons for what may be said of these items together; `ruled(items, message)` is called when the server has taken it. */
export function rulingButtons(items, page, ruled) {
  const row = h("div", { class: "buttons" });
  const place = h("div", { class: "ruling-place" });

  const send = async (ruling, reason) => {
    row.inert = true;
    try {
      const changes = changesOf(items);
      if (changes.length > MOST_CHANGES) throw new Error(`These are ${changes.length} changes, and at most ${MOST_CHANGES} can be ruled on at once. Select fewer.`);
      const done = await api.rule({ cohort: page.name, change_ids: changes, ruling, reason });
      await ruled(items, done.message);
    } catch (error) {
      place.replaceChildren(failure(error));
      row.inert = false;
    }
  };

  const button = (ruling) => {
    const { words, icon: name, asks, means } = RULINGS[ruling];
    const style = ruling === "approve" && items.every((item) => item.standing === "proposed") ? "primary" : undefined;
    const element = h("button", { type: "button", class: style, title: means, "aria-expanded": asks ? "false" : undefined, "data-ruling": ruling }, icon(name), words);
    const close = () => {
      place.replaceChildren();
      element.setAttribute("aria-expanded", "false");
      element.focus();
    };
    element.addEventListener("click", () => {
      if (!asks) return send(ruling, "");
      for (const each of row.querySelectorAll("[aria-expanded=true]")) each.setAttribute("aria-expanded", "false");
      element.setAttribute("aria-expanded", "true");
      const { form, focus } = reasonForm(ruling, items, (reason) => send(ruling, reason), close);
      place.replaceChildren(form);
      return focus();
    });
    return element;
  };

  row.append(...rulingsFor(items).map(button));
  return h("div", { class: "ruling" }, row, place);
}
