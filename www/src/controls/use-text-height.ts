import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Keeps a text area as high as its text in browsers without `field-sizing`; in others the style sheet does. */
export function useTextHeight(text: string): RefObject<HTMLTextAreaElement | null> {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    let width: number | null = null;
    // Called at once, and when the width or, without effect, the height changes.
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      element.style.height = "";
      const borders = element.offsetHeight - element.clientHeight;
      element.style.height = `${element.scrollHeight + borders}px`;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [text]);
  return area;
}
