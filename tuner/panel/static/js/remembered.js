// What this browser remembers of how a person likes the page; nothing where storage is forbidden or full.

const PREFIX = "spark-tuner-";

/** What was last kept under a name; null where nothing was, or nothing may be. */
export function remembered(name) {
  try {
    return window.localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    window.localStorage.setItem(PREFIX + name, value);
  } catch {
    // It holds for this page only.
  }
}
