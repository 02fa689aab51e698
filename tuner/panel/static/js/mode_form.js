// Changes a cohort's mode, inline: a frame of Airflow's allows no dialogs.

import * as api from "./api.js";
import { h, uniqueId } from "./element.js";
import { MODES } from "./standing.js";
import { failure } from "./status.js";

const OWN = "own";

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

/** The form for `page`'s cohort; `close` takes it away. */
export function modeForm(page, close) {
  const { mode_setting: setting, cohort } = page.cohort;
  const group = uniqueId("modes");
  const reason = h("input", { type: "text", id: uniqueId("reason"), maxlength: "1000", autocomplete: "off" });
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
    h("label", { for: reason.id }, "Reason (optional, kept in the audit trail)"),
    reason,
    problem,
    h("div", { class: "buttons" }, save, h("button", { type: "button", on: { click: () => close() } }, "Cancel")),
  );
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input[type=radio]:checked").value;
    save.disabled = true;
    try {
      const done = await api.changeMode({ cohort, mode: chosen === OWN ? null : chosen, reason: reason.value.trim() });
      await page.changed(done.message);
      page.tabs.stale("recommendations");
      document.querySelector(".mode-row button")?.focus();
    } catch (error) {
      problem.replaceChildren(failure(error));
      save.disabled = false;
    }
  });
  return form;
}
