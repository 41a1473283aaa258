const EVENTS = ["pointermove", "pointerdown", "keydown"] as const;

/** Resolves when the visitor first moves a pointer, touches the page or presses a key. */
export const acted = new Promise<void>((resolve) => {
  const act = (): void => {
    for (const event of EVENTS) removeEventListener(event, act, true);
    resolve();
  };
  for (const event of EVENTS) addEventListener(event, act, true);
});
