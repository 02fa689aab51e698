// What just happened, for people who do not see the page change.

/** Says `text` in the page's polite live region; the same text twice is said twice. */
export function announce(text) {
  const region = document.getElementById("said");
  region.textContent = "";
  window.setTimeout(() => {
    region.textContent = text;
  }, 50);
}
