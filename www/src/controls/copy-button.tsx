import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { toClipboard } from "../share/clipboard.ts";
import { NotNow } from "../share/not-now.ts";
import { showProblem } from "../states/store.ts";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1600;

interface CopyButtonProps {
  /** The text, or a function that makes it when it is copied. */
  readonly text: string | (() => string | Promise<string>);
  readonly label: string;
  /** The visible label. */
  readonly caption?: string;
}

export function CopyButton({ text, label, caption = "Copy" }: CopyButtonProps) {
  const result = useSignal<"none" | "copied" | "refused">("none");
  useEffect(() => {
    if (result.value === "none") return;
    const timer = setTimeout(() => {
      result.value = "none";
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result.value]);
  const copy = async (): Promise<void> => {
    try {
      await toClipboard(typeof text === "string" ? text : text());
      result.value = "copied";
    } catch (error) {
      result.value = "refused";
      if (error instanceof NotNow) showProblem(error.message);
      else if (!(error instanceof DOMException)) throw error;
    }
  };
  return (
    <button type="button" class="copy-button" aria-label={label} title={label} onClick={copy}>
      <Icon name={result.value === "copied" ? "check" : "copy"} />
      <span role="status">
        {result.value === "copied" ? "Copied" : result.value === "refused" ? "Not allowed here" : caption}
      </span>
    </button>
  );
}
