// Moments in one zone, which is told with each of them, the same in every locale; UTC stands in the title.

import { h } from "./element.js";
import { inZone } from "./zone.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `1 Mar`. */
export function day(moment) {
  const { day: number, month } = inZone(moment);
  return `${number} ${MONTHS[month - 1]}`;
}

/** `02:00`. */
export function clock(moment) {
  const { hour, minute } = inZone(moment);
  return `${hour}:${minute}`;
}

/** `UTC+1`: what was the zone's offset then. */
export function offset(moment) {
  return inZone(moment).offset;
}

/** `1 Mar 2026, 02:00 UTC+1`. */
export function moment(iso) {
  return `${day(iso)} ${inZone(iso).year}, ${clock(iso)} ${offset(iso)}`;
}

/** `2 Mar 2026`: a date that is one everywhere, such as the Monday of a week. */
export function date(iso) {
  const [year, month, number] = iso.split("-").map(Number);
  return `${number} ${MONTHS[month - 1]} ${year}`;
}

export function utc(iso) {
  return `${new Date(iso).toISOString().replace("T", " ").slice(0, 19)} UTC`;
}

const STEPS = [
  [60, 1, "s"],
  [3600, 60, "min"],
  [86400, 3600, "h"],
  [Infinity, 86400, "d"],
];

/** `3 h ago`. */
export function ago(iso, now = Date.now()) {
  const passed = (now - new Date(iso).getTime()) / 1000;
  if (passed < 60) return "just now";
  const [, size, unit] = STEPS.find(([most]) => passed < most);
  return `${Math.floor(passed / size)} ${unit} ago`;
}

/** A moment as an element; `relative` writes how long ago it was. */
export function time(iso, { relative = false } = {}) {
  return h("time", { datetime: iso, title: relative ? `${moment(iso)} (${utc(iso)})` : utc(iso) }, relative ? ago(iso) : moment(iso));
}
