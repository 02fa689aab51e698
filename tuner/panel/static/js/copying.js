// Copies text where the browser lets it, and selects it where a frame forbids the clipboard.

import { announce } from "./announce.js";
import { h } from "./element.js";
import { icon } from "./icons.js";

function selectAll(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function copiedByCommand(text) {
  const area = h("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  area.value = text;
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  let done = false;
  try {
    done = document.execCommand("copy");
  } catch {
    done = false;
  }
  area.remove();
  focused?.focus();
  return done;
}

/** `text` in a field behind `button`, where it can be copied by hand. */
function selectBehind(button, text, what) {
  const before = button.nextElementSibling;
  const field = before?.matches("input.to-copy") ? before : h("input", { type: "text", class: "to-copy", readonly: true, "aria-label": what });
  field.value = text;
  if (field !== before) button.after(field);
  field.select();
}

/** A button that copies `text`, which stands in `shown` (null: nowhere); `what` names it for screen readers. */
export function copyButton(text, shown, what) {
  const words = h("span", {}, "Copy");
  const button = h("button", { type: "button", class: "small", "aria-label": `Copy ${what}` }, icon("copy"), words);
  const say = (short, long) => {
    words.textContent = short;
    announce(long);
    window.setTimeout(() => {
      words.textContent = "Copy";
    }, 2500);
  };
  button.addEventListener("click", async () => {
    if ((await copied(text)) || copiedByCommand(text)) return say("Copied", `Copied ${what}.`);
    if (shown) selectAll(shown);
    else selectBehind(button, text, what);
    return say("Selected", "The browser forbids copying here. The text is selected: press Ctrl+C or ⌘C.");
  });
  return button;
}
