// The vendored libraries, loaded when the first picture is drawn: lists and texts need none of them.

import { h } from "./element.js";

const loading = new Map();

function script(file) {
  if (!loading.has(file)) {
    const loaded = new Promise((resolve, reject) => {
      const source = new URL(`../vendor/${file}`, import.meta.url).href;
      const element = h("script", { src: source, on: { load: resolve } });
      // In order, though fetched at the same time: Plot finds d3 when it runs.
      element.async = false;
      element.addEventListener("error", () => {
        loading.delete(file);
        reject(new Error(`${file} did not load, so there is no picture; the tables have the same facts. Reload the page.`));
      });
      document.head.append(element);
    });
    loading.set(file, loaded);
  }
  return loading.get(file);
}

export async function d3() {
  await script("d3.min.js");
  return window.d3;
}

export async function plot() {
  await Promise.all([script("d3.min.js"), script("plot.umd.min.js")]);
  return window.Plot;
}
