/**
 * Scrolls the header away when the content is scrolled down, where the page is higher than the window: see style/small.css. A
 * scroll beyond the start of the content brings it back.
 */
export function hideHeaderOnScroll(): void {
  const tops = new WeakMap<Element, number>();
  addEventListener(
    "scroll",
    ({ target }) => {
      const main = target instanceof Element ? target.closest("main") : null;
      if (main === null || !(target instanceof Element)) return;
      const isDown = target.scrollTop > (tops.get(target) ?? 0);
      tops.set(target, target.scrollTop);
      if (isDown && main.getBoundingClientRect().top > 0) main.scrollIntoView({ block: "start", behavior: "instant" });
    },
    { capture: true, passive: true },
  );
}
