// What would have saved most over all cohorts, and what is new in the decisions for their next runs.

import { rankedSection } from "./ranked.js";
import { empty } from "./status.js";
import { topCard } from "./top_card.js";

export function topSection(front) {
  return rankedSection({
    title: "What would have saved most",
    about: "Each change over all runs that it was advised for and that went without it; seconds are sums over these runs.",
    items: front.recommendations,
    total: front.recommendations_in_all,
    card: topCard,
    none: empty("No run lacked a change.", "At no run did a change that the runs before it spoke for promise more than it risked."),
    atOnce: 10,
  });
}

export function newSection(front) {
  if (!front.new.length) return "";
  return rankedSection({
    title: "What the next runs would be told first",
    about: "Changes that the newest runs speak for, and that no run so far was to have; seconds and core-hours are those of one run.",
    items: front.new,
    total: front.new_in_all,
    card: topCard,
    none: "",
    atOnce: 5,
  });
}
