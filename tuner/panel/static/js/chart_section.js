// The chart of the cohort's runs, which folds into a line with their trend; this browser remembers how a person left it.

import { isThisRun } from "./address.js";
import { chartWords, runsChart } from "./chart.js";
import { h } from "./element.js";
import { plot } from "./libraries.js";
import { remember, remembered } from "./remembered.js";
import { sparkLine } from "./spark_line.js";
import { empty, failure, skeleton } from "./status.js";

const KEY = "chart";
// Below it the open chart would leave no room for the changes on the first screen.
const TALL = 1200;

function isOpenAtFirst() {
  const left = remembered(KEY);
  return left ? left === "open" : window.innerHeight >= TALL;
}

/** Of the page's newest runs; `open` or not. */
export function chartSection(page, { open = isOpenAtFirst() } = {}) {
  const place = h("div", { class: "chart-place" });
  const trend = h("span", { class: "trend faint" });
  const asTable = h("button", { type: "button", class: "link", hidden: true, on: { click: () => page.openRuns() } }, "Read as a table");
  const fold = h("details", { class: "chart-fold", open }, h("summary", {}, h("h2", { id: "runs-title" }, "Query time over runs"), trend), h("div", { class: "chart-tools" }, asTable), place);
  let drawn = false;

  const draw = async () => {
    try {
      const runs = await page.runs();
      if (!runs.items.length) return place.replaceChildren(empty("No run has been recorded.", "The chart begins with the first run."));
      asTable.hidden = false;
      if (runs.items.every((run) => run.query_seconds === null)) return place.replaceChildren(empty("No run has been measured yet.", "A run is measured when it has ended and its event log was read."));
      const oldestFirst = [...runs.items].reverse();
      return place.replaceChildren(await runsChart(oldestFirst, { isHere: (run) => isThisRun(run, page.scope), open: (run) => page.openRuns(run.key) }));
    } catch (error) {
      return place.replaceChildren(failure(error, draw));
    }
  };

  const drawWhenOpen = () => {
    if (!fold.open || drawn) return;
    drawn = true;
    // At the same time as the runs; the chart shows a failure.
    plot().catch(() => {});
    place.replaceChildren(skeleton(6));
    draw();
  };

  const drawTrend = async () => {
    const runs = [...(await page.runs()).items].reverse();
    trend.replaceChildren(...[sparkLine(runs), chartWords(runs)].filter(Boolean));
  };

  fold.addEventListener("toggle", drawWhenOpen);
  fold.querySelector("summary").addEventListener("click", () => remember(KEY, fold.open ? "folded" : "open"));
  drawWhenOpen();
  // A failure shows where the chart would be.
  drawTrend().catch(() => {
    fold.open = true;
  });
  return h("section", { class: "card", "aria-labelledby": "runs-title" }, fold);
}
