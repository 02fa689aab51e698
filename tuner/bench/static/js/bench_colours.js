// A colour and a symbol for each contender, the same in every plot.

const COLOURS = ["var(--kind-untouched)", "var(--kind-proven)", "var(--accent)", "var(--kind-trial)", "var(--warn)", "var(--kind-failed)"];
const SYMBOLS = ["circle", "diamond2", "square", "triangle2", "star", "times"];

/** Of the contender that stands at `position`. */
export const colour = (position) => COLOURS[position % COLOURS.length];

export const symbol = (position) => SYMBOLS[position % SYMBOLS.length];
