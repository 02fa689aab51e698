// What is said to who may look but not act; a report says it in other words.

export const MAY_NOT_ACT = "You may look but not act: that needs permission to edit the DAG.";
