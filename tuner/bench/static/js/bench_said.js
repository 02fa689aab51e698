// What the tuner said before and after each run.

import { h } from "./element.js";
import { printable } from "./printable.js";

function run({ run: number, said }) {
  return h("details", {}, h("summary", {}, `Run ${number}`), h("ul", { class: "logs" }, said.map((line) => h("li", {}, printable(line)))));
}

export function saidOf(data) {
  const speaking = data.contenders.filter(({ runs }) => runs.some(({ said }) => said.length));
  return speaking.map((contender) =>
    h("section", { class: "card" }, h("div", { class: "card-head" }, h("h3", {}, `What ${contender.title} did`)), h("div", { class: "card-inside unread" }, contender.runs.filter(({ said }) => said.length).map(run))),
  );
}
