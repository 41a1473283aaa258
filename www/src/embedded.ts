const parameters = new URLSearchParams(location.search);

/** The page is in a frame of another one, which says so in the address: it is compact, and stores nothing. */
export const embedded = parameters.has("embed");

const theme = parameters.get("theme");

export const embedTheme = theme === "light" || theme === "dark" ? theme : "system";

type Receive = (message: MessageEvent<unknown>) => void;

/** A host may send requests as soon as the frame has loaded, when the code that handles them has not. */
const early: MessageEvent<unknown>[] = [];
let receive: Receive = (message) => early.push(message);
if (embedded) addEventListener("message", (message) => receive(message));

/** Gives all messages to `handle`, in the order in which they arrived: first those that came before this call. */
export function receiveMessages(handle: Receive): void {
  receive = handle;
  early.splice(0).forEach(handle);
}
