// Tabs by the ARIA practices: one tab stop, arrow keys move, a panel is filled when it is first shown.

import { h, uniqueId } from "./element.js";

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** `entries`: {name, words, count, fill(panel)}. `select(name)` shows one; `stale(name)` has it filled anew when next shown. */
export function tabs(label, entries, { first, selected = () => {} }) {
  const list = h("div", { role: "tablist", "aria-label": label, class: "tabs" });
  const made = entries.map((entry) => {
    const id = uniqueId("tab");
    const panel = h("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, class: "panel", hidden: true });
    const counter = h("span", { class: "count" });
    const tab = h("button", { type: "button", role: "tab", id, "aria-controls": panel.id, "aria-selected": "false", tabindex: "-1" }, entry.words, counter);
    return { ...entry, tab, panel, counter, filled: false };
  });

  const select = (name, { focus = false } = {}) => {
    for (const each of made) {
      const chosen = each.name === name;
      each.tab.setAttribute("aria-selected", String(chosen));
      each.tab.tabIndex = chosen ? 0 : -1;
      each.panel.hidden = !chosen;
      if (chosen && focus) each.tab.focus();
      if (chosen && !each.filled) {
        each.filled = true;
        each.fill(each.panel);
      }
    }
    selected(name);
  };

  const count = (name, number) => {
    const { counter } = made.find((each) => each.name === name);
    counter.textContent = number === null || number === undefined ? "" : String(number);
  };

  const stale = (name) => {
    const entry = made.find((each) => each.name === name);
    entry.filled = false;
    if (!entry.panel.hidden) select(name);
  };

  const opened = (name) => made.some((each) => each.name === name && each.filled);

  made.forEach((each, index) => {
    each.tab.addEventListener("click", () => select(each.name));
    each.tab.addEventListener("keydown", (event) => {
      if (!(event.key in KEYS)) return;
      event.preventDefault();
      const step = KEYS[event.key];
      const next = Number.isFinite(step) ? (index + step + made.length) % made.length : step < 0 ? 0 : made.length - 1;
      select(made[next].name, { focus: true });
    });
  });
  list.append(...made.map((each) => each.tab));
  select(made.some((each) => each.name === first) ? first : made[0].name);
  return { element: h("div", { class: "tabbed" }, list, ...made.map((each) => each.panel)), select, stale, count, opened };
}
