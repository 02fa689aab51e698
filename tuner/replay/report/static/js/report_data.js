// The data of a report, which stand in its page: JSON for the front page, compressed JSON for each cohort.

const read = new Map();

function text(id) {
  return document.getElementById(id).textContent;
}

/** What the front page shows. */
export function front() {
  if (!read.has("front")) read.set("front", JSON.parse(text("front")));
  return read.get("front");
}

/** The answers about the cohort of page `number`. */
export function answers(number) {
  const id = `cohort-${number}`;
  if (!read.has(id)) read.set(id, unpacked(text(id)));
  return read.get(id);
}

async function unpacked(packed) {
  const bytes = Uint8Array.from(window.atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
