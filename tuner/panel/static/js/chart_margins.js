// Pixels around the chart, which its lanes keep to as well.

export const MARGIN = { left: 64, right: 14, top: 14, bottom: 30 };
