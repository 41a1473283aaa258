/** Focuses the element with this id once the page shows the change that was just made. */
export function focusSoon(id: string): void {
  requestAnimationFrame(() => {
    const element = document.getElementById(id);
    element?.focus();
    element?.scrollIntoView({ block: "nearest" });
  });
}
