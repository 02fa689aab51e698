// The plan of a query before and after: each as a picture, with the same in text beside it.

import { h } from "./element.js";
import { icon } from "./icons.js";
import { inForceList } from "./in_force_list.js";
import { planPicture } from "./plan_picture.js";
import { planText } from "./plan_text.js";
import { costliestWords } from "./plan_words.js";
import { named } from "./printable.js";
import { empty, loadInto } from "./status.js";
import { time } from "./times.js";
import { counted, seconds } from "./units.js";

const TIMED = "A step's seconds are its part of its stages' time on the clock: as Spark timed it, the rest by what it did at usual prices. Stages that ran at the same time add up to more than the query took.";
const UNTIMED = "This run was stored before steps had seconds; the next one will have them.";

function ran(picture) {
  if (picture.predicted) return [h("span", { class: "badge tone-accent" }, icon("bulb"), "As advised, not yet run"), " the plan of ", time(picture.run_at), ", redrawn"];
  return ["Run of ", time(picture.run_at), picture.query_seconds === null ? "" : `, in which the query took ${seconds(picture.query_seconds)}`];
}

function facts(picture) {
  const changed = picture.steps.filter((step) => step.changed).length;
  const costliest = costliestWords(picture.steps);
  return h("p", { class: "faint plan-facts" }, h("span", {}, ran(picture)), changed ? h("span", {}, counted(changed, "join"), " changed") : "", costliest ? h("span", {}, "most expensive: ", h("strong", {}, costliest)) : "");
}

function inForce(picture) {
  const label = picture.predicted ? "Advised: " : "In force on it: ";
  return h("div", { class: "faint plan-in-force" }, label, inForceList(picture.in_force, { most: 4, nothing: "nothing" }));
}

function notDrawn(picture) {
  if (!picture.not_drawn?.length) return "";
  return h("p", { class: "faint" }, "Not drawn, for the picture does not tell what it would change: ", picture.not_drawn.flatMap((each, index) => [index ? ", " : "", named(each, { limit: 120 })]));
}

function seconded(picture) {
  if (picture.predicted) return "";
  return h("p", { class: "faint" }, picture.steps.some((step) => step.seconds !== null) ? TIMED : UNTIMED);
}

function drawn(title, picture) {
  if (!picture.steps.length) return empty("The plan is too large to draw.");
  const place = h("div", { class: "plan-drawn" });
  loadInto(place, () => planPicture(picture.steps, title), (found) => found);
  const text = h("div", { class: "plan-scroller plan-text-scroller", tabindex: "0", role: "region", "aria-label": `${title}: the plan as text, scrolls` }, planText(picture.steps));
  return [h("div", { class: "plan-both" }, place, text), seconded(picture)];
}

function side(title, means, none, picture) {
  const head = h("div", { class: "card-head" }, h("h3", {}, title), picture ? h("span", { class: "faint" }, means) : "");
  const body = picture ? [facts(picture), inForce(picture), notDrawn(picture), drawn(title, picture)] : empty(none);
  return h("section", { class: "card plan-side", "aria-label": `Plan ${title.toLowerCase()}` }, head, h("div", { class: "card-inside" }, body));
}

/** Both sides of a comparison that has at least one. */
export function plansOf({ before, after }) {
  const compared = after && !after.predicted;
  return h(
    "div",
    { class: "plan-sides" },
    side("Before", compared ? "the newest run without what is in force now" : "the newest run: nothing is in force on the query", "No run with a plan was without what is in force now.", before),
    side("After", compared ? "the newest run" : "with what is advised for its joins", "Nothing is in force on this query, and nothing is advised for its joins.", after),
  );
}
