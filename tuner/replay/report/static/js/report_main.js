// A report starts here: its front page, or the page of the cohort that the address asks for.

import { readScope } from "./address.js";
import { cohortNote } from "./cohort_note.js";
import { cohortPage } from "./cohort_page.js";
import { frontPage } from "./front_page.js";
import { front } from "./report_data.js";
import { failure, skeleton } from "./status.js";
import { follow } from "./theme.js";
import { drawTop } from "./top.js";

async function show(main, scope) {
  try {
    if (!scope.cohort) return frontPage(main, front());
    main.replaceChildren(skeleton(8));
    await cohortPage(main, scope.cohort, scope);
    return main.prepend(await cohortNote(scope.cohort));
  } catch (error) {
    return main.replaceChildren(failure(error));
  }
}

follow();
const scope = readScope(window.location.search);
drawTop(document.getElementById("top"));
show(document.getElementById("main"), scope);
