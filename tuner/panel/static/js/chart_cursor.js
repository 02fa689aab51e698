// One run of the chart at a time, by pointer or by arrow keys, with its facts in a tip and for screen readers.

import { s } from "./element.js";
import { inWords, tipOf } from "./run_words.js";

const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

/** Moves a cursor over `points`; `drawnAs` tells it that the chart was drawn anew. */
export function followRuns({ reader, picture, tip, points, isHere, open }) {
  const opened = points.findIndex((point) => isHere(point.run));
  let at = opened >= 0 ? opened : points.length - 1;
  let svg = null;
  let ring = null;

  const place = () => {
    const point = points[at];
    const [x, y] = [svg.scale("x").apply(point.x), svg.scale("y").apply(point.y ?? 0)];
    ring.setAttribute("transform", `translate(${x},${y})`);
    tip.style.left = `${Math.min(Math.max(x, 150), Math.max(svg.clientWidth - 150, 150))}px`;
    tip.style.top = `${y > 130 ? y - 14 : y + 14}px`;
    tip.dataset.side = y > 130 ? "above" : "below";
  };

  const tell = () => {
    reader.setAttribute("aria-valuenow", String(at + 1));
    reader.setAttribute("aria-valuetext", `${at + 1} of ${points.length}: ${inWords(points[at].run)}`);
  };

  const show = (index) => {
    const moved = index !== at || tip.hidden;
    at = index;
    if (!moved || !svg) return;
    tip.replaceChildren(...tipOf(points[at].run, isHere(points[at].run)));
    tip.hidden = false;
    ring.removeAttribute("visibility");
    place();
    tell();
  };

  const hide = () => {
    tip.hidden = true;
    ring?.setAttribute("visibility", "hidden");
  };

  const nearest = (event) => {
    const x = svg.scale("x").invert(event.clientX - svg.getBoundingClientRect().left);
    return Math.min(Math.max(Math.round(x), 0), points.length - 1);
  };

  reader.addEventListener("pointermove", (event) => svg && show(nearest(event)));
  reader.addEventListener("pointerleave", () => document.activeElement !== reader && hide());
  reader.addEventListener("focus", () => reader.matches(":focus-visible") && show(at));
  reader.addEventListener("blur", hide);
  // By where it was pressed: a finger has not moved there before.
  picture.addEventListener("click", (event) => svg && open(points[nearest(event)].run));
  reader.addEventListener("keydown", (event) => {
    if (event.key === "Enter") return open(points[at].run);
    if (event.key === "Escape") return hide();
    if (!(event.key in KEYS)) return undefined;
    event.preventDefault();
    return show(Math.min(Math.max(at + KEYS[event.key], 0), points.length - 1));
  });
  tell();

  return {
    drawnAs(chart) {
      svg = chart;
      ring = s("circle", { r: 9, class: "cursor", visibility: "hidden" });
      svg.append(ring);
      if (!tip.hidden) {
        ring.removeAttribute("visibility");
        place();
      }
    },
  };
}
