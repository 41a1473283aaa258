import type { ComponentChildren } from "preact";
import type { ChatMessage } from "turnfold";
import { ColourSwitch } from "../colour-switch.tsx";

interface ChatViewProps {
  /** The messages of the list; null when another view, such as the comparison, is shown. */
  readonly messages: readonly ChatMessage[] | null;
  readonly children?: ComponentChildren;
}

/** The controls for the display of a list of messages. */
export const ChatView = ({ messages, children }: ChatViewProps) => (
  <div class="chat-view">
    {children}
    {messages !== null && <ColourSwitch load={loadColours} props={{ messages }} />}
  </div>
);

/** Loaded on demand, with the code that finds the texts near the screen. */
const loadColours = async () => (await import("./colours.tsx")).ChatColours;
