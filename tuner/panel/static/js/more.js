// A list that grows by a page at a time: the rest is asked for when a person wants it.

import { h } from "./element.js";
import { failure } from "./status.js";

/** A button below a list of `shown` items of `total`; `add(offset)` appends the next page and answers how many came. */
export function moreButton(shown, total, add) {
  const place = h("div", { class: "more" });
  const button = h("button", { type: "button", on: { click: () => grow() } }, "Show more");
  const number = h("span", { class: "faint" });
  let have = shown;
  let busy = false;
  const draw = () => {
    if (have >= total) return place.replaceChildren();
    number.textContent = `${have} of ${total}`;
    // Put back, it would lose the focus.
    return button.parentNode === place ? undefined : place.replaceChildren(button, number);
  };
  const grow = async () => {
    if (busy) return;
    busy = true;
    place.setAttribute("aria-busy", "true");
    try {
      const came = await add(have);
      have = came ? have + came : total;
      draw();
    } catch (error) {
      place.replaceChildren(failure(error, grow));
    }
    busy = false;
    place.removeAttribute("aria-busy");
  };
  draw();
  return place;
}
