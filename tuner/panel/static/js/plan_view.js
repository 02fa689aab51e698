// The plan of a query before and after, as pictures or as text.

import * as api from "./api.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { planPicture } from "./plan_picture.js";
import { planText } from "./plan_text.js";
import { named } from "./printable.js";
import { STANDINGS } from "./standing.js";
import { empty, loadInto } from "./status.js";
import { time } from "./times.js";
import { counted, seconds } from "./units.js";

function changedSteps(picture) {
  return picture.steps.filter((step) => step.changed).length;
}

function facts(picture) {
  const changed = changedSteps(picture) ? ` · ${counted(changedSteps(picture), "join")} changed` : "";
  if (picture.predicted) return h("p", { class: "faint" }, h("span", { class: "badge tone-accent" }, icon("bulb"), "As advised, not yet run"), " the plan of ", time(picture.run_at), ", redrawn", changed);
  return h(
    "p",
    { class: "faint" },
    "Run of ",
    time(picture.run_at),
    picture.query_seconds === null ? "" : ` · the query took ${seconds(picture.query_seconds)}`,
    changed,
  );
}

function inForce(picture) {
  if (!picture.in_force.length) return "";
  return h("ul", { class: "bare" }, picture.in_force.map((each) => h("li", {}, named(each.words, { limit: 120 }), h("span", { class: "faint" }, ` · ${STANDINGS[each.standing].words.toLowerCase()}`))));
}

function notDrawn(picture) {
  if (!picture.not_drawn?.length) return "";
  return h("p", { class: "faint" }, "Not drawn, for the picture does not tell what it would change: ", picture.not_drawn.flatMap((each, index) => [index ? ", " : "", named(each, { limit: 120 })]));
}

function side(title, none, picture, asText) {
  const body = h("div", {});
  if (!picture) body.append(empty(none));
  else if (!picture.steps.length) body.append(empty("The plan is too large to draw."));
  else if (asText) body.append(planText(picture.steps));
  else loadInto(body, () => planPicture(picture.steps, title), (drawn) => drawn);
  return h("section", { class: "plan-side" }, h("h3", {}, title), picture ? facts(picture) : "", picture ? inForce(picture) : "", picture ? notDrawn(picture) : "", body);
}

function both(comparison, asText) {
  return h(
    "div",
    { class: "plan-sides" },
    side("Before", "No run was measured with nothing in force on this query.", comparison.before, asText),
    side("After", "No run was measured with a change in force on this query, and nothing is advised for its joins.", comparison.after, asText),
  );
}

function viewSwitch(draw) {
  const buttons = [
    ["Picture", false],
    ["Text", true],
  ].map(([words, asText]) => h("button", { type: "button", class: "small", "aria-pressed": String(!asText), on: { click: () => choose(asText) } }, words));
  const choose = (asText) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(Boolean(index) === asText)));
    draw(asText);
  };
  return h("div", { class: "switch", role: "group", "aria-label": "Show plans as" }, buttons);
}

/** The comparison of `query`'s plans; `back` returns to the list. */
export function planView(query, page, back) {
  const place = h("div", {});
  const tools = h("div", {});
  loadInto(
    place,
    () => api.plan(page.name, query.fingerprint),
    (comparison) => {
      if (!comparison.before && !comparison.after) return empty("No plan was kept for this query.", "Plans are kept for the newest runs, where they are not too large.");
      const drawn = h("div", {}, both(comparison, false));
      tools.replaceChildren(viewSwitch((asText) => drawn.replaceChildren(both(comparison, asText))));
      return drawn;
    },
    { lines: 10 },
  );
  return h(
    "div",
    { class: "plan-view" },
    h("div", { class: "plan-head" }, h("button", { type: "button", class: "link", on: { click: back } }, icon("left"), "All queries"), tools),
    h("h2", { tabindex: "-1" }, named(query.name, { limit: 200 })),
    h("p", { class: "faint mono" }, named(query.fingerprint, { limit: 60 })),
    place,
  );
}
