// The bar on top: what this is, who looks, and the theme where no page around this one has it.

import { listAddress } from "./address.js";
import * as api from "./api.js";
import { h } from "./element.js";
import { icon } from "./icons.js";
import { named } from "./printable.js";
import { choose, current, framed } from "./theme.js";

function themeButton() {
  const button = h("button", { type: "button", class: "plain" });
  const draw = () => {
    const other = current() === "dark" ? "light" : "dark";
    button.replaceChildren(icon(other === "dark" ? "moon" : "sun"), other === "dark" ? "Dark" : "Light");
    button.setAttribute("aria-label", `Use the ${other} theme`);
  };
  button.addEventListener("click", () => {
    choose(current() === "dark" ? "light" : "dark");
    draw();
  });
  draw();
  return button;
}

/** In Airflow's frame there is a bar around the page already, so this one only names the user. */
export async function drawTop(place) {
  const who = h("span", { class: "who" });
  if (framed()) {
    place.hidden = true;
    return;
  }
  place.replaceChildren(h("a", { class: "brand", href: listAddress({}) }, icon("gear"), "Spark tuner"), who, themeButton());
  try {
    const session = await api.session();
    who.replaceChildren(named(session.user, { limit: 60 }), h("span", { class: "faint" }, ` · ${session.version}`));
  } catch {
    // The part of the page below says what is wrong.
  }
}
