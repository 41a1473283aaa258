import { useEffect, useState } from "preact/hooks";

const QUIET_MS = 900;

/** Reads a text out once it has stood still, so that typing is not talked over. */
export function Announcer({ text }: { readonly text: string }) {
  const [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => say(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="visually-hidden" aria-live="polite">
      {said}
    </p>
  );
}
