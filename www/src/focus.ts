/** What renders the element with an id that is not in the page: lists of which a part is rendered. True when it will be there. */
export const seekers = new Set<(id: string) => boolean>();

/** Frames until what a seeker renders is there. */
const MOST_FRAMES = 4;

/** Focuses the element with this id after the next render. */
export function focusSoon(id: string): void {
  const attempt = (left: number): void => {
    requestAnimationFrame(() => {
      const element = document.getElementById(id);
      if (element === null) {
        // All of them: what is in a list may be in a list inside of one of its rows.
        const found = [...seekers].filter((seek) => seek(id));
        if (left > 0 && found.length > 0) attempt(left - 1);
        return;
      }
      element.focus();
      element.scrollIntoView({ block: "nearest" });
    });
  };
  attempt(MOST_FRAMES);
}
