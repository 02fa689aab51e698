// Changes a cohort's mode, inline: a frame of Airflow's allows no dialogs.

import * as api from "./api.js";
import { h, uniqueId } from "./element.js";
import { named } from "./printable.js";
import { MODES } from "./standing.js";
import { failure, unseen } from "./status.js";

const OWN = "own";
// Somebody gave the cohort another mode than this form shows.
const MOVED = 409;

function choice(group, value, words, means, chosen) {
  const id = uniqueId("mode");
  return h(
    "div",
    { class: "choice" },
    h("input", { type: "radio", name: group, id, value, checked: chosen, "aria-describedby": `${id}-means` }),
    h("label", { for: id }, words),
    h("span", { class: "faint", id: `${id}-means` }, means),
  );
}

/** The mode that a person gave the cohort, as far as this page knows; null for the job's own. */
function given({ by, mode }) {
  return by === "" ? null : mode;
}

/** The form for `page`'s cohort; `close` takes it away. It is inert while it is sent. */
export function modeForm(page, close) {
  const { mode_setting: setting, cohort } = page.cohort;
  let seen = given(setting);
  const group = uniqueId("modes");
  const reason = h("input", { type: "text", id: uniqueId("reason"), maxlength: "1000", autocomplete: "off" });
  const cost = h("div", { role: "status" });
  const problem = h("div", {});
  const save = h("button", { type: "submit", class: "primary" }, "Save");
  const form = h(
    "form",
    { class: "inline-form", "aria-label": "Change the mode" },
    h(
      "fieldset",
      {},
      h("legend", {}, "Mode from the next run on"),
      Object.entries(MODES).map(([mode, means]) => choice(group, mode, mode, means, setting.by !== "" && setting.mode === mode)),
      choice(group, OWN, "the job's own", "As the job or the configuration has it.", setting.by === ""),
    ),
    cost,
    h("label", { for: reason.id }, "Reason (optional, kept in the audit trail)"),
    reason,
    problem,
    h("div", { class: "buttons" }, save, h("button", { type: "button", on: { click: () => close() } }, "Cancel")),
  );

  const hold = (isHeld) => {
    if (form.inert === isHeld) return;
    form.inert = isHeld;
    page.underWay += isHeld ? 1 : -1;
  };

  /** What was set is set, whether the page can show it or not. */
  const show = async (message) => {
    try {
      await page.changed(message, { ofMode: true });
      page.tabs.stale("recommendations");
      hold(false);
      close();
    } catch (error) {
      form.replaceChildren(unseen(message, error, () => show(message)));
      hold(false);
      form.querySelector("button").focus();
    }
  };

  /** What he chose stays chosen: saved again, it is said knowing what is. */
  const showWhatIs = async () => {
    try {
      await page.renew();
      seen = given(page.cohort.mode_setting);
    } catch {
      // It is refused again then.
    }
  };

  const send = async () => {
    const chosen = form.querySelector("input[type=radio]:checked").value;
    hold(true);
    try {
      const { message } = await api.changeMode({ cohort, mode: chosen === OWN ? null : chosen, seen, reason: reason.value.trim() });
      await show(message);
    } catch (error) {
      if (error.status === MOVED) await showWhatIs();
      hold(false);
      problem.replaceChildren(failure(error));
      save.focus();
    }
  };

  /** What a mode takes back of a run's sizes, before it is saved. */
  const warn = () => {
    const taken = page.cohort.mode_setting.gives_back[form.querySelector("input[type=radio]:checked").value] ?? [];
    cost.replaceChildren(...taken.map((each) => h("p", { class: "cost" }, named(each, { limit: 300 }))));
  };

  form.addEventListener("change", warn);
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.inert) send();
  });
  return form;
}
