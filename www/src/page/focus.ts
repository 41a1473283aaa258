/**
 * Functions of virtual lists that render the element with an id if it is in one of their rows. True if it will be rendered; a
 * promise if the list can be asked again when it resolves.
 */
export const seekers = new Set<(id: string) => boolean | Promise<void>>();

/** The most animation frames until a seeker has rendered the element. */
const MAX_FRAMES = 4;

/** Focuses the element with this id after the next render. */
export function focusSoon(id: string): void {
  const attempt = (left: number): void => {
    requestAnimationFrame(() => {
      const element = document.getElementById(id);
      if (element === null) {
        // All seekers are called, because an element may be in a list inside a row of another list.
        const found = Array.from(seekers, (seek) => seek(id)).filter((result) => result !== false);
        const wait = found.find((result) => result instanceof Promise);
        if (wait !== undefined) void wait.then(() => attempt(MAX_FRAMES));
        else if (left > 0 && found.length > 0) attempt(left - 1);
        return;
      }
      element.focus();
      element.scrollIntoView({ block: "nearest" });
    });
  };
  attempt(MAX_FRAMES);
}
