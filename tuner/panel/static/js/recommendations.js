// The cohort's recommendations as cards; an action draws them anew and leaves the focus on its card.

import * as api from "./api.js";
import { h } from "./element.js";
import { moreButton } from "./more.js";
import { recommendationCard } from "./recommendation_card.js";
import { empty, loadInto } from "./status.js";

const LIMIT = 20;

function why(cohort) {
  if (!cohort.runs) return "The first run is observed; recommendations come from what it measures.";
  if (cohort.latest_seconds === null && cohort.baseline_seconds === null) return "No run has been measured yet: a run is measured when it has ended and its event log was read.";
  return `The latest run was measured, and no change promises more than it risks. ${cohort.last_decision}`;
}

/** Fills `panel` with the page's recommendations. */
export function recommendationList(panel, page) {
  const notes = new Map();
  const list = h("div", { class: "cards" });

  const draw = (found) => {
    page.counted("recommendations", found.total);
    if (!found.total) return empty("No recommendation.", why(page.cohort));
    const cards = (items) => items.map((item) => recommendationCard(item, page, { note: notes.get(item.id), ruled }));
    list.replaceChildren(...cards(found.items));
    const add = async (offset) => {
      const next = await api.recommendations(page.name, { limit: LIMIT, offset });
      list.append(...cards(next.items));
      return next.items.length;
    };
    return [list, moreButton(found.items.length, found.total, add)];
  };

  const ruled = async (item, message) => {
    notes.set(item.id, message);
    const shown = Math.min(Math.max(list.childElementCount, LIMIT), 200);
    const [found] = await Promise.all([api.recommendations(page.name, { limit: shown, offset: 0 }), page.changed(message)]);
    panel.replaceChildren(...[draw(found)].flat());
    const card = [...list.children].find((each) => each.dataset.id === item.id);
    (card?.querySelector("h3") ?? list.querySelector("h3"))?.focus({ preventScroll: Boolean(card) });
    card?.scrollIntoView({ block: "nearest" });
  };

  return loadInto(panel, () => api.recommendations(page.name, { limit: LIMIT, offset: 0 }), draw, { lines: 8 });
}
