// States of cohorts, standings of changes, ends of runs: each a word, an icon and a tone, never colour alone. And what people did.

import { h } from "./element.js";
import { icon } from "./icons.js";

export const STATES = {
  observing: { words: "Observing", icon: "eye", tone: "quiet", means: "Nothing is in force." },
  trial: { words: "Trial", icon: "flask", tone: "trial", means: "Something is on trial." },
  tuned: { words: "Tuned", icon: "check", tone: "good", means: "What is in force is proven or pinned." },
  rolled_back: { words: "Rolled back", icon: "back", tone: "warn", means: "Something was in force, and nothing is now." },
  held: { words: "Held", icon: "hand", tone: "quiet", means: "All there is to change was held back." },
};

export const STANDINGS = {
  proposed: { words: "Proposed", icon: "bulb", tone: "accent" },
  trial: { words: "On trial", icon: "flask", tone: "trial" },
  promoted: { words: "Promoted", icon: "check", tone: "good" },
  pinned: { words: "Pinned", icon: "pin", tone: "good" },
  held: { words: "Held", icon: "hand", tone: "quiet" },
  rolled_back: { words: "Rolled back", icon: "back", tone: "warn" },
  expired: { words: "Expired", icon: "clock", tone: "quiet" },
};

/** Standings in which a change steers runs. */
export const IN_FORCE = ["trial", "promoted", "pinned"];

/** What a person did, by the ruling. */
export const RULED = { approve: "Approved", reject: "Rejected", pin: "Pinned", rollback: "Rolled back" };

export const RUN_STATES = {
  running: { words: "Running", icon: "clock", tone: "accent" },
  succeeded: { words: "Succeeded", icon: "check", tone: "plain" },
  failed: { words: "Failed", icon: "cross", tone: "bad" },
  partial: { words: "Partial log", icon: "warn", tone: "warn" },
  lost: { words: "No log", icon: "warn", tone: "warn" },
  seen_to_succeed: { words: "Ended, log not read yet", icon: "clock", tone: "quiet" },
};

/** How a run stands: one that is running has ended where its task saw that, and its log has not told yet what it measured. */
export function stateNow(state, hasEnded) {
  return state === "running" && hasEnded ? "seen_to_succeed" : state;
}

export function runState(state, hasEnded) {
  return RUN_STATES[stateNow(state, hasEnded)];
}

export const MODES = {
  observe: "Records runs, changes nothing.",
  suggest: "A person approves each change here.",
  auto: "Tries one step at a time, and rolls back what loses.",
};

export function badge({ words, icon: name, tone, means }) {
  return h("span", { class: `badge tone-${tone}`, title: means }, icon(name), words);
}
