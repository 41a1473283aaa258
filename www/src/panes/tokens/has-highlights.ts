/** Whether the browser has CSS custom highlights. */
export const hasHighlights = (): boolean => typeof Highlight === "function" && "highlights" in CSS;
