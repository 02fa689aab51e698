// A list that grows by a page at a time: the rest is asked for when a person wants it.

import { h } from "./element.js";
import { failure } from "./status.js";

/** A button below a list of `shown` items of `total`; `add(offset)` appends the next page and answers how many came. */
export function moreButton(shown, total, add) {
  const place = h("div", { class: "more" });
  let have = shown;
  const draw = () => {
    if (have >= total) return place.replaceChildren();
    const button = h("button", { type: "button", on: { click: grow } }, "Show more");
    return place.replaceChildren(button, h("span", { class: "faint" }, `${have} of ${total}`));
  };
  const grow = async () => {
    place.setAttribute("aria-busy", "true");
    try {
      const came = await add(have);
      have = came ? have + came : total;
      draw();
    } catch (error) {
      place.replaceChildren(failure(error, grow));
    }
    place.removeAttribute("aria-busy");
  };
  draw();
  return place;
}
