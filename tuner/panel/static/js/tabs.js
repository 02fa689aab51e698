// Tabs by the ARIA practices: one tab stop, arrow keys move, a panel is filled when it is first shown.

import { h, uniqueId } from "./element.js";

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** `entries`: {name, words, count, fill(panel, {keepFocus})}. `select(name)` shows one, where there is one of that name;
 * `stale(name)` has it filled anew when next shown. A panel that is to `keepFocus` leaves it where it is.
 * `chosen(name, {walking})` is told what a person chose, `walking` over the tabs by keys or not.
 */
export function tabs(label, entries, { first, chosen = () => {} }) {
  const list = h("div", { role: "tablist", "aria-label": label, class: "tabs" });
  const made = entries.map((entry) => {
    const id = uniqueId("tab");
    const panel = h("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, class: "panel", hidden: true });
    const counter = h("span", { class: "count" });
    const tab = h("button", { type: "button", role: "tab", id, "aria-controls": panel.id, "aria-selected": "false", tabindex: "-1" }, entry.words, counter);
    return { ...entry, tab, panel, counter, filled: false };
  });

  const known = (name) => made.some((each) => each.name === name);

  const select = (name, { focus = false, keepFocus = focus } = {}) => {
    if (!known(name)) return;
    for (const each of made) {
      const shown = each.name === name;
      each.tab.setAttribute("aria-selected", String(shown));
      each.tab.tabIndex = shown ? 0 : -1;
      each.panel.hidden = !shown;
      if (shown && focus) each.tab.focus();
      if (shown && !each.filled) {
        each.filled = true;
        each.fill(each.panel, { keepFocus });
      }
    }
  };

  const choose = (name, walking) => {
    select(name, { focus: walking });
    chosen(name, { walking });
  };

  const count = (name, number) => {
    const { counter } = made.find((each) => each.name === name);
    counter.textContent = number === null || number === undefined ? "" : String(number);
  };

  const stale = (name, how) => {
    const entry = made.find((each) => each.name === name);
    entry.filled = false;
    if (!entry.panel.hidden) select(name, how);
  };

  const opened = (name) => made.some((each) => each.name === name && each.filled);

  made.forEach((each, index) => {
    each.tab.addEventListener("click", () => choose(each.name, false));
    each.tab.addEventListener("keydown", (event) => {
      if (!(event.key in KEYS)) return;
      event.preventDefault();
      const step = KEYS[event.key];
      const next = Number.isFinite(step) ? (index + step + made.length) % made.length : step < 0 ? 0 : made.length - 1;
      choose(made[next].name, true);
    });
  });
  list.append(...made.map((each) => each.tab));
  select(known(first) ? first : made[0].name);
  return { element: h("div", { class: "tabbed" }, list, ...made.map((each) => each.panel)), select, stale, count, opened };
}
