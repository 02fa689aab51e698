// The numbers behind a sentence.

import { h } from "./element.js";
import { named } from "./printable.js";
import { measured } from "./units.js";

export function evidenceTable(evidence) {
  if (!evidence.length) return "";
  return h(
    "table",
    { class: "evidence" },
    h("caption", {}, "Evidence"),
    h("thead", { class: "unseen" }, h("tr", {}, h("th", { scope: "col" }, "What"), h("th", { scope: "col" }, "Value"))),
    h(
      "tbody",
      {},
      evidence.map((each) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, named(each.what, { limit: 120 }), each.of ? h("span", { class: "of" }, named(each.of, { limit: 120 })) : ""),
          h("td", { class: "number", title: `${each.value} ${each.unit}` }, measured(each.value, each.unit)),
        ),
      ),
    ),
  );
}
