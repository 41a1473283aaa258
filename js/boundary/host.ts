import { describe } from "../values/describe.ts";
import { printable } from "../values/printable.ts";
import { onAbort } from "./abort.ts";

/** Resolves to the value of the promise, or to null as soon as the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.resolve(null);
  }
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => resolve(null));
    promise.then(resolve, reject).finally(leave);
  });
}

/**
 * Resolves to the value of the promise, or rejects with the error of `late` when it has not settled within the time.
 * Leaves no timer that keeps the process alive.
 */
export function withDeadline<T>(promise: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Returns the message of anything that the host threw: errors of other realms and plain objects have messages too. It may
 * be a text of a server, so control characters are replaced.
 */
export function messageOf(error: unknown): string {
  return printable(readMessage(error));
}

function readMessage(error: unknown): string {
  try {
    if (typeof error === "string" && error !== "") return error;
    if (typeof error !== "object" || error === null) return describe(error);
    const { message, name } = error as { message?: unknown; name?: unknown };
    const texts = [message, name].filter((text) => typeof text === "string" && text !== "");
    return (texts[0] as string | undefined) ?? describe(error);
  } catch {
    return "an error that can't be read";
  }
}

/**
 * True for a promise, also one of another library.
 *
 * @internal
 */
export function isThenable<T>(given: T | Promise<T>): given is Promise<T> {
  return typeof (given as Promise<T> | null)?.then === "function";
}

/**
 * Handles the rejection of a promise that nothing awaits, because the host's function must not wait: it would end the
 * process of the host.
 *
 * @param given what the function returned; anything.
 * @param report receives the error of the promise.
 */
export function handleRejection(given: unknown, report: (error: unknown) => void = () => {}): void {
  try {
    if (isThenable(given)) Promise.resolve(given).then(undefined, report);
  } catch {
    // An object that can't be read is no promise.
  }
}

/**
 * Calls `next` with a value; synchronously unless the value is a promise.
 *
 * @internal
 */
export function callWhenReady<T, R>(given: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  // The `then` of another library may return nothing.
  return isThenable(given) ? Promise.resolve(given).then(next) : next(given);
}
