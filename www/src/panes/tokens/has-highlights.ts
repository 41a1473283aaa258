/** Whether the browser supports CSS custom highlights. */
export const hasHighlights = (): boolean => typeof Highlight === "function" && "highlights" in CSS;
