import { useEffect, useState } from "preact/hooks";

const QUIET_MS = 900;

/** Announces a text to screen readers when it has stopped changing, so that typing is not interrupted. */
export function Announcer({ text }: { readonly text: string }) {
  const [announced, announce] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => announce(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="visually-hidden" aria-live="polite">
      {announced}
    </p>
  );
}
