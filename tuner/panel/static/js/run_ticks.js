// Labels below the chart of runs: days, and where several runs are of one day, their times.

import { clock, day } from "./times.js";

/** A label for each of these moments, oldest first. */
export function tickLabels(moments) {
  const days = moments.map(day);
  const isSame = days.map((each, index) => each === days[index - 1]);
  if (!isSame.includes(true)) return days;
  return moments.map((each, index) => (isSame[index] ? clock(each) : `${days[index]}, ${clock(each)}`));
}
