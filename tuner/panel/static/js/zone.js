// The zone that moments are written in: the one chosen in Airflow, where this is a page of its, else the browser's.

// As Airflow keeps it: a name such as "Europe/Berlin", in quotes.
const AIRFLOWS = "timezone";

function isZone(name) {
  try {
    return Boolean(name) && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

function chosen() {
  try {
    const name = JSON.parse(window.localStorage.getItem(AIRFLOWS));
    return typeof name === "string" && isZone(name) ? name : undefined;
  } catch {
    // Storage is forbidden, or something else is kept there.
    return undefined;
  }
}

const FORM = { year: "numeric", month: "numeric", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "shortOffset" };
const format = new Intl.DateTimeFormat("en", { ...FORM, timeZone: chosen() });

/** A moment by its parts: `{year, month, day, hour, minute, offset}`, texts as people write them; `offset` as in `UTC+1`. */
export function inZone(moment) {
  const parts = Object.fromEntries(format.formatToParts(new Date(moment)).map(({ type, value }) => [type, value]));
  // Browsers differ in what they call none: GMT, GMT+0.
  return { ...parts, offset: parts.timeZoneName.replace("GMT", "UTC").replace(/[+-]0$/, "") };
}
