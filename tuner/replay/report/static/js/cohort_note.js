// What is to be known of a cohort's page in a report: that it is a replay, and what of it the file leaves out.

import * as api from "./api.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { front } from "./report_data.js";
import { counted, grouped } from "./units.js";

export async function cohortNote(name) {
  const { runs, live } = front().cohorts.find((each) => each.cohort === name);
  const { total: here } = await api.runs(name, { limit: 1 });
  const steered = live ? `the tuner steered ${grouped(live)} of them` : "the tuner steered none of them";
  const older = here < runs ? ` The newest ${here} are in this file.` : "";
  const words = `A replay of ${counted(runs, "logged run")}: ${steered}. What is recommended is what the next run would be told.${older}`;
  return h("p", { class: "notice replay-note" }, icon("eye"), words);
}
