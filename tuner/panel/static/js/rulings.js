// What a person may say of a recommendation. Rejecting asks for a reason, rolling back lets one be given, both inline.

import * as api from "./api.js";
import { h, uniqueId } from "./element.js";
import { icon } from "./icons.js";
import { failure } from "./status.js";

const RULINGS = {
  approve: { words: "Approve", icon: "check" },
  pin: { words: "Pin", icon: "pin", means: "Keeps it in force whatever it measures" },
  reject: { words: "Reject", icon: "cross", asks: "Reason (kept in the audit trail)", needed: true },
  rollback: { words: "Roll back", icon: "back", asks: "Reason (optional, kept in the audit trail)", needed: false },
};

function reasonForm(ruling, send, close) {
  const { words, asks, needed } = RULINGS[ruling];
  const reason = h("textarea", { id: uniqueId("reason"), rows: "2", maxlength: "1000", required: needed });
  const form = h(
    "form",
    { class: "inline-form", "aria-label": words },
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

/** The buttons for what makes sense now; `ruled(item, message)` is called when the server has taken one. */
export function rulingButtons(item, page, ruled) {
  const place = h("div", { class: "ruling-place" });
  const row = h("div", { class: "buttons" });

  const send = async (ruling, reason) => {
    row.inert = true;
    try {
      const done = await api.rule({ cohort: page.name, change_ids: [...new Set(item.actions.map((action) => action.change_id))], ruling, reason });
      await ruled(item, done.message);
    } catch (error) {
      place.replaceChildren(failure(error));
      row.inert = false;
    }
  };

  const button = (ruling) => {
    const { words, icon: name, asks, means } = RULINGS[ruling];
    const style = ruling === "approve" && item.standing === "proposed" ? "primary" : undefined;
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
      const { form, focus } = reasonForm(ruling, (reason) => send(ruling, reason), close);
      place.replaceChildren(form);
      return focus();
    });
    return element;
  };

  row.append(...Object.keys(RULINGS).filter((ruling) => item.rulings.includes(ruling)).map(button));
  return h("div", { class: "ruling" }, row, place);
}
