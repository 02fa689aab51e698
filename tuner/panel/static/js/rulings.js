// What a person may say of recommendations, of one or of several at once. Rejecting asks for a reason, rolling back says what it
// costs and lets one be given, both inline.

import * as api from "./api.js";
import { h, uniqueId } from "./element.js";
import { icon } from "./icons.js";
import { rollbackCost } from "./rollback_cost.js";
import { failure, unseen } from "./status.js";
import { counted } from "./units.js";

// As many as one request may hold.
const MOST_CHANGES = 200;
// Changes stand elsewhere by now than they were shown.
const MOVED = 409;

const RULINGS = {
  approve: { words: "Approve", icon: "check", means: (items) => (items.every((item) => item.standing === "pinned") ? "Has it measured again, and taken out if it loses" : "") },
  pin: { words: "Pin", icon: "pin", means: () => "Keeps it in force whatever it measures" },
  reject: { words: "Reject", icon: "cross", asks: "Reason (kept in the audit trail)", needed: true },
  rollback: { words: "Roll back", icon: "back", asks: "Reason (optional, kept in the audit trail)", needed: false, warns: rollbackCost },
};

/** The rulings that make sense for each of these. */
export function rulingsFor(items) {
  return Object.keys(RULINGS).filter((ruling) => items.length && items.every((item) => item.rulings.includes(ruling)));
}

/** Asks for what `ruling` needs to be told, `text` so far. `typed(text)` hears of more, `send(text, refused)` rules. */
function reasonForm(ruling, items, text, { typed, send, close }) {
  const { words, asks, needed, warns } = RULINGS[ruling];
  const warning = warns ? h("p", { class: "cost", id: uniqueId("cost") }, warns(items)) : "";
  const reason = h("textarea", { id: uniqueId("reason"), rows: "2", maxlength: "1000", required: needed, "aria-describedby": warning ? warning.id : undefined });
  const problem = h("div", {});
  reason.value = text;
  const form = h(
    "form",
    { class: "inline-form", "aria-label": words },
    warning,
    h("label", { for: reason.id }, asks),
    reason,
    problem,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, words), h("button", { type: "button", on: { click: close } }, "Cancel")),
  );
  const refused = (error) => {
    problem.replaceChildren(failure(error));
    reason.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (needed && !reason.value.trim()) return reason.focus();
    return send(reason.value.trim(), refused);
  });
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  reason.addEventListener("input", () => typed(reason.value));
  return { form, focus: () => reason.focus() };
}

/** The changes that a ruling is on, by their ids, and where each stands: of what is tried together it may be a part alone. */
function standings(items, ruling) {
  const on = items.flatMap((item) => item.actions.filter((action) => action.rulings.includes(ruling)));
  return Object.fromEntries(on.map((action) => [action.change_id, action.standing]));
}

/** The first of these items that one request may rule on together, whatever the ruling. */
export function ruledAtOnce(items) {
  const changes = new Set();
  const beyond = items.findIndex((item) => {
    for (const action of item.actions) if (action.rulings.length) changes.add(action.change_id);
    return changes.size > MOST_CHANGES;
  });
  return beyond < 0 ? items : items.slice(0, beyond);
}

function partWords(items, ruling) {
  const all = new Set(items.flatMap((item) => item.actions.map((action) => action.change_id))).size;
  const on = Object.keys(standings(items, ruling)).length;
  return on < all ? `On ${on} of ${counted(all, "change")}: those that it fits` : "";
}

/** What is asked of the server: it refuses a ruling on what no longer stands as it was seen. */
function request(items, page, ruling, reason) {
  const seen = standings(items, ruling);
  const changes = Object.keys(seen);
  if (changes.length > MOST_CHANGES) throw new Error(`These are ${changes.length} changes, and at most ${MOST_CHANGES} can be ruled on at once. Select fewer.`);
  return { cohort: page.name, change_ids: changes, ruling, reason, seen };
}

/**
 * Buttons for what may be said of these items together. `list` is told when a ruling is under way, was taken, or came too late; a
 * reason that somebody has begun to write is kept there by `key`.
 */
export function rulingButtons(items, page, list, key) {
  const row = h("div", { class: "buttons" });
  const place = h("div", { class: "ruling-place" });
  const element = h("div", { class: "ruling" }, row, place);

  const hold = (isHeld) => {
    element.inert = isHeld;
    list.hold(isHeld);
  };

  /** What was ruled is ruled, whether the page can show it or not. */
  const show = async (message) => {
    row.inert = true;
    list.drafts.delete(key);
    try {
      await list.ruled(items, message);
    } catch (error) {
      place.replaceChildren(unseen(message, error, () => show(message)));
    }
  };

  /** What kept it from being done; null where nothing did, or the list says it. */
  const attempt = async (ruling, reason) => {
    try {
      const { message } = await api.rule(request(items, page, ruling, reason));
      await show(message);
      return null;
    } catch (error) {
      return error.status === MOVED && (await list.moved(items, error)) ? null : error;
    }
  };

  const send = async (ruling, reason, refused) => {
    if (element.inert) return;
    hold(true);
    const problem = await attempt(ruling, reason);
    hold(false);
    if (problem) refused(problem);
    else place.querySelector(".failure button")?.focus();
  };

  const ask = (ruling, button, text) => {
    for (const each of row.querySelectorAll("[aria-expanded=true]")) each.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-expanded", "true");
    list.drafts.set(key, { ruling, text });
    const close = () => {
      if (element.inert) return;
      list.drafts.delete(key);
      place.replaceChildren();
      button.setAttribute("aria-expanded", "false");
      button.focus();
    };
    const typed = (written) => list.drafts.set(key, { ruling, text: written });
    const { form, focus } = reasonForm(ruling, items, text, { typed, send: (reason, refused) => send(ruling, reason, refused), close });
    place.replaceChildren(form);
    return focus;
  };

  const button = (ruling) => {
    const { words, icon: name, asks, means = () => "" } = RULINGS[ruling];
    const title = [means(items), partWords(items, ruling)].filter(Boolean).join(". ") || undefined;
    const style = ruling === "approve" && items.every((item) => item.waits || item.standing === "proposed") ? "primary" : undefined;
    const made = h("button", { type: "button", class: style, title, "aria-expanded": asks ? "false" : undefined, "data-ruling": ruling }, icon(name), words);
    const refused = (error) => {
      place.replaceChildren(failure(error));
      made.focus();
    };
    const begun = () => (list.drafts.get(key)?.ruling === ruling ? list.drafts.get(key).text : "");
    made.addEventListener("click", () => (asks ? ask(ruling, made, begun())() : send(ruling, "", refused)));
    return made;
  };

  const draft = list.drafts.get(key);
  for (const ruling of rulingsFor(items)) {
    const made = button(ruling);
    row.append(made);
    if (draft?.ruling === ruling) ask(ruling, made, draft.text);
  }
  return element;
}
