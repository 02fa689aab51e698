// A plan as nested lists: what runs last comes first, its inputs below it.

import { h } from "./element.js";
import { icon } from "./icons.js";
import { builds, output, stepLabel, stepTitle } from "./plan_words.js";
import { named } from "./printable.js";
import { seconds } from "./units.js";

const MOST_INDENTS = 12;

function line(step) {
  const style = ["step-line", step.changed ? "changed" : "", step.costliest ? "costliest" : ""].filter(Boolean).join(" ");
  return h(
    "div",
    { class: style },
    h(
      "div",
      { class: "step-what" },
      step.changed ? [icon("swap"), " "] : "",
      h("strong", {}, stepTitle(step)),
      stepLabel(step) ? [" ", named(stepLabel(step), { limit: 200 })] : "",
      builds(step) ? `, ${builds(step)}` : "",
      output(step) ? h("span", { class: "faint" }, ` → ${output(step)}`) : "",
      step.costliest ? [" ", h("span", { class: "badge tone-warn" }, icon("hot"), "most expensive")] : "",
      step.changed ? h("span", { class: "changed-words" }, " Changed: ", named(step.changed, { limit: 200 })) : "",
    ),
    step.seconds === null ? "" : h("span", { class: "step-seconds number" }, seconds(step.seconds)),
  );
}

/** `steps[0]` ran last; `inputs` are positions after the step's own. */
export function planText(steps) {
  const item = (position, depth) => {
    const step = steps[position];
    const inputs = step.inputs.filter((input) => input > position && input < steps.length);
    const nested = inputs.length ? h("ul", { class: depth >= MOST_INDENTS ? "flat" : "" }, inputs.map((input) => item(input, depth + 1))) : "";
    return h("li", {}, line(step), nested);
  };
  return h("ul", { class: "plan-text" }, item(0, 1));
}
