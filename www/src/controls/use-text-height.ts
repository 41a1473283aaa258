import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Keeps a text area as high as its text in browsers without `field-sizing`; in others the style sheet does. */
export function useTextHeight(text: string): RefObject<HTMLTextAreaElement | null> {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    let width = 0;
    const fit = (): void => {
      width = element.clientWidth;
      element.style.height = "";
      const borders = element.offsetHeight - element.clientHeight;
      element.style.height = `${element.scrollHeight + borders}px`;
    };
    fit();
    const observer = new ResizeObserver(() => {
      // In the next frame: an observer that changes the size of its element is an error.
      if (element.clientWidth !== width) requestAnimationFrame(fit);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [text]);
  return area;
}
