// In a report, the libraries stand in the page.

export async function d3() {
  return window.d3;
}

export async function plot() {
  return window.Plot;
}
