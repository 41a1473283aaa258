import type { ComponentChildren } from "preact";
import type { ChatMessage } from "turnfold";
import { ColourSwitch } from "../colour-switch.tsx";

interface ChatViewProps {
  /** The messages of the list; null when something else is shown. */
  readonly messages: readonly ChatMessage[] | null;
  readonly children?: ComponentChildren;
}

/** How the messages of a list are shown. */
export const ChatView = ({ messages, children }: ChatViewProps) => (
  <div class="chat-view">
    {children}
    {messages !== null && <ColourSwitch load={loadColours} props={{ messages }} />}
  </div>
);

/** Loaded on demand, with what finds texts in the page. */
const loadColours = async () => (await import("./colours.tsx")).ChatColours;
