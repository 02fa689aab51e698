// Light and dark: Airflow's where this page is a frame of Airflow's, else the system's or the one chosen here.

import { remember, remembered } from "./remembered.js";

const KEY = "theme";
// Airflow's colours (Chakra's semantic tokens) that this page takes over; the rest of the palette is its own.
const TAKEN = { bg: "--page", "bg-subtle": "--raised", "bg-muted": "--sunken", fg: "--ink", border: "--line" };

const root = document.documentElement;

export function framed() {
  try {
    return window.parent !== window && Boolean(window.parent.document.documentElement);
  } catch {
    return false;
  }
}

function takeOver(outer) {
  root.dataset.theme = outer.classList.contains("dark") ? "dark" : "light";
  const style = window.parent.getComputedStyle(outer);
  for (const [name, own] of Object.entries(TAKEN)) {
    const value = style.getPropertyValue(`--chakra-colors-${name}`).trim();
    if (value) root.style.setProperty(own, value);
    else root.style.removeProperty(own);
  }
  const font = style.getPropertyValue("--chakra-fonts-body").trim();
  if (font) root.style.setProperty("--font", font);
}

export function chosen() {
  return remembered(KEY);
}

export function current() {
  return root.dataset.theme;
}

export function choose(theme) {
  root.dataset.theme = theme;
  remember(KEY, theme);
}

export function follow() {
  if (framed()) {
    const outer = window.parent.document.documentElement;
    takeOver(outer);
    new MutationObserver(() => takeOver(outer)).observe(outer, { attributes: true, attributeFilter: ["class", "style"] });
    return;
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if (!chosen()) root.dataset.theme = event.matches ? "dark" : "light";
  });
}
