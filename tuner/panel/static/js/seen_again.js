// A page that was left open and is looked at again.

/** Calls `listener` when a person comes back to the page, at least `after` milliseconds since he came or it was called last. */
export function whenSeenAgain(listener, after) {
  let last = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible" || Date.now() - last < after) return;
    last = Date.now();
    listener();
  });
}
