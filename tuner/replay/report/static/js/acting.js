// In a report, nobody may act.

export const MAY_NOT_ACT = "A report changes nothing: it shows what a replay found.";
