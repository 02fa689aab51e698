// Moments in the browser's zone, the same in every locale; UTC stands in the title.

import { h } from "./element.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (number) => String(number).padStart(2, "0");

export function day(moment) {
  const date = new Date(moment);
  return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

export function clock(moment) {
  const date = new Date(moment);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function moment(iso) {
  return `${day(iso)} ${new Date(iso).getFullYear()}, ${clock(iso)}`;
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
