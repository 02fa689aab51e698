// How right predictions were, where a later run happened to have what was advised.

import { h } from "./element.js";
import { figure } from "./figure.js";
import { counted, grouped, share } from "./units.js";

const orNone = (value, words) => (value === null ? "–" : words(value));

function figures(found) {
  return h(
    "dl",
    { class: "figures" },
    figure("Compared", grouped(found.pairs), `${counted(found.by_tuner, "change")} carried out by the tuner, ${grouped(found.pairs - found.by_tuner)} by people or by Spark`),
    figure("Right", orNone(found.right, share), "of the changes made their queries faster"),
    figure("In the interval", orNone(found.coverage, share), "of the measurements; 90% should be"),
    figure("Rank correlation", orNone(found.rank_correlation, (value) => value.toFixed(2)), "of predicted and measured gains: 1 is the same order, 0 is no better than chance"),
    figure("Median error", orNone(found.median_error, share), "of what the queries took, between the predicted gain and the measured one"),
  );
}

export function backtestSection(front) {
  const found = front.backtest;
  if (!found) return "";
  const body = found.pairs ? figures(found) : h("p", {}, "No run had a change that was advised before it: there is nothing to compare predictions with.");
  const few = found.pairs && found.pairs < 20 ? h("p", { class: "faint" }, `${counted(found.pairs, "comparison")} are few: read these figures as a hint.`) : "";
  return h("section", { class: "card", "aria-labelledby": "backtest-title" }, h("div", { class: "card-head" }, h("h2", { id: "backtest-title" }, "How right the predictions were")), h("div", { class: "card-inside" }, body, few));
}
