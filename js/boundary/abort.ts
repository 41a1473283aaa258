import { invalidOption } from "./options.ts";

/** The functions to call when a signal aborts, and the one listener that calls them. */
interface AbortListeners {
  callbacks: Set<() => void>;
  listener: () => void;
}

const listenersBySignal = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `act` when the signal aborts; it must not have aborted yet. A signal has one listener, however many functions wait for it:
 * Node warns of a leak when there are more than ten.
 *
 * @returns a function that stops waiting.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = listenersBySignal.get(signal) ?? addListener(signal);
  // Wrapped, because the same function may wait more than once.
  const own = () => callback();
  callbacks.add(own);
  return () => {
    if (!callbacks.delete(own) || callbacks.size > 0 || listenersBySignal.get(signal)?.callbacks !== callbacks) return;
    listenersBySignal.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

function addListener(signal: AbortSignal): AbortListeners {
  const callbacks = new Set<() => void>();
  const listener = () => {
    listenersBySignal.delete(signal);
    for (const act of callbacks) act();
  };
  const own = { callbacks, listener };
  listenersBySignal.set(signal, own);
  signal.addEventListener("abort", listener, { once: true });
  return own;
}

/**
 * Aborts the controller when the signal aborts, or immediately if it has aborted.
 *
 * @returns a function that stops forwarding.
 */
export function forwardAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const forward = () => controller.abort(signal?.reason);
  if (signal === undefined) return () => {};
  if (!signal.aborted) return onAbort(signal, forward);
  forward();
  return () => {};
}

/**
 * Runs a function of the host with a signal of its own, which aborts with the given one. The host's code and its clients add
 * listeners to the signal that they get, and the given one may be shared by many calls.
 */
export async function withOwnSignal<T>(
  signal: AbortSignal | undefined,
  act: (own: AbortSignal | undefined) => T | Promise<T>,
): Promise<T> {
  if (signal === undefined) return act(signal);
  const own = new AbortController();
  const release = forwardAbort(signal, own);
  try {
    return await act(own.signal);
  } finally {
    release();
  }
}

/**
 * Returns `signal` if it is an AbortSignal.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || isSignal(signal)) return signal as AbortSignal | undefined;
  throw invalidOption(
    "signal",
    "an AbortSignal",
    signal,
    "new AbortController().signal, or AbortSignal.timeout(10_000)",
  );
}

/** The members of a signal that are used; signals of other realms and polyfills have them too. */
function isSignal(signal: unknown): boolean {
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Record<keyof AbortSignal, unknown>;
  return (
    typeof aborted === "boolean" && typeof addEventListener === "function" && typeof removeEventListener === "function"
  );
}
