const parameters = new URLSearchParams(location.search);

/** Whether the page is in a frame, according to its address. It is then compact and stores nothing. */
export const embedded = parameters.has("embed");

const theme = parameters.get("theme");

export const embedTheme = theme === "light" || theme === "dark" ? theme : "system";

type Receive = (message: MessageEvent<unknown>) => void;

/** The requests that arrive before the code that handles them is loaded. */
const early: MessageEvent<unknown>[] = [];
let receive: Receive = (message) => early.push(message);
if (embedded) addEventListener("message", (message) => receive(message));

/** Passes all messages to `handle` in the order of their arrival, including those that arrived before this call. */
export function receiveMessages(handle: Receive): void {
  receive = handle;
  early.splice(0).forEach(handle);
}
