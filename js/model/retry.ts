import { currentTime } from "../boundary/clock.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { checkMembers } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import { contextRefusal } from "./context-refusal.ts";
import { ASK_AGAIN, errorChain, readMember, statusOf } from "./error-chain.ts";

/** Retries of a model callback that throws or rejects. */
export interface Retry {
  /** Maximum number of calls; default 1. */
  attempts?: number | undefined;
  /**
   * Milliseconds to wait before the next attempt; default 0. `attempt` is the number of the failed one, from 1. When
   * the error has the provider's `Retry-After`, the longer of the two is used; of `Retry-After` at most one minute.
   */
  delayMs?: ((attempt: number, error: unknown) => number) | undefined;
  /**
   * Whether to try again after an error. By default after transient errors: broken connections and the HTTP statuses
   * 408, 409, 429 and from 500 up, but no other statuses, nor for a request that is too long for the model. They are
   * read from `status`, `statusCode` and `code` of the error, its `cause` and its response. An error without any of
   * these is retried, except for a mistake in the callback: a reply of the wrong form, or an invalid option.
   */
  when?: ((error: unknown) => boolean) | undefined;
}

/**
 * Returns the settings of {@link Retry}, checked; undefined when they are absent.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkRetry(retry: unknown): Retry | undefined {
  if (retry === undefined) return undefined;
  const given = wrapReadErrors("invalid_option", "retry", () =>
    checkMembers("the retry options", retry, ["attempts", "delayMs", "when"]),
  );
  const { attempts } = given;
  if (attempts !== undefined && !(Number.isSafeInteger(attempts) && (attempts as number) >= 1)) {
    throw new TurnfoldError("invalid_option", `attempts must be a whole number from 1 up, got ${describe(attempts)}`, {
      details: { option: "retry.attempts" },
    });
  }
  for (const [name, hint] of [
    ["delayMs", "delayMs: (attempt) => 500 * 2 ** attempt"],
    ["when", "when: (error) => error.status === 429"],
  ] as const) {
    if (given[name] === undefined || typeof given[name] === "function") continue;
    throw new TurnfoldError("invalid_option", `${name} must be a function, got ${describe(given[name])}`, {
      details: { option: `retry.${name}` },
      hint,
    });
  }
  return given as Retry;
}

/**
 * Calls `ask` until it succeeds or a failure is the last one.
 *
 * @param isFinal true for a failure that must not be retried.
 * @returns null when the signal aborted.
 * @throws {TurnfoldError} `llm_error`, with the last failure as its cause.
 *
 * @internal
 */
export async function withRetry<T>(
  ask: () => Promise<T>,
  { attempts = 1, delayMs, when = isTransient }: Retry,
  signal: AbortSignal | undefined,
  isFinal: () => boolean,
): Promise<T | null> {
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) return null;
    try {
      const answer = await unlessAborted(ask(), signal);
      return signal?.aborted ? null : answer;
    } catch (error) {
      if (signal?.aborted) return null;
      const callOption = <R>(name: string, call: () => R) => callHostOption(`retry.${name}`, call, attempt, error);
      if (attempt >= attempts || isFinal() || !callOption("when", () => when(error))) {
        const problem = isMistake(error) ? "the callback llm has a mistake" : "the model could not be asked";
        throw new TurnfoldError("llm_error", `${problem}: ${messageOf(error)}`, {
          details: { attempts: attempt },
          hint:
            contextRefusal(error) !== null
              ? LENGTH_HINT
              : (ownHint(error) ?? (attempts === 1 && isTransient(error) ? RETRY_HINT : null)),
          cause: error,
        });
      }
      await wait(
        error,
        callOption("delayMs", () => Number(delayMs?.(attempt, error) ?? 0)),
        signal,
      );
    }
  }
}

/**
 * Sends a request, and again when the server refuses it as busy, with the status 429 or 503. The waits are half a second
 * and twice as long each time, or the provider's `Retry-After` if that is longer, of which at most one minute counts.
 *
 * @param retries the number of times that it is sent again at most.
 * @throws the last refusal, the reason of the signal when it aborts a wait, and all other errors.
 *
 * @internal
 */
export async function sendWhileBusy<T>(
  send: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= retries || !isBusy(error) || signal?.aborted) throw error;
      await wait(error, FIRST_DELAY * 2 ** attempt, signal);
      signal?.throwIfAborted();
    }
  }
}

const FIRST_DELAY = 500;

/** True for the refusal of a server that is busy; false for a request that is too long for the rate limit. */
function isBusy(error: unknown): boolean {
  const statuses = errorChain(error).map(statusOf);
  const status = statuses.find((each) => each !== null);
  return (status === 429 || status === 503) && contextRefusal(error) === null;
}

/** Waits before the next attempt: the given delay, or that of the provider if it is longer. */
async function wait(error: unknown, delay: number, signal: AbortSignal | undefined): Promise<void> {
  const longest = Math.max(delay > 0 ? delay : 0, Math.min(retryAfter(error), MAX_RETRY_AFTER));
  if (longest > 0) await pause(Math.min(longest, MAX_DELAY), signal);
}

const RETRY_HINT = "retry: { attempts: 3, delayMs: (attempt) => 500 * 2 ** attempt } asks again";

const LENGTH_HINT = "the request is too long for the model: compress the history or limit it, such as with maxTokens";

/** Returns the hint of an error of this package, unless {@link RETRY_HINT} says the same in detail. */
function ownHint(error: unknown): string | null {
  const hint = TurnfoldError.isInstance(error) ? readMember(error, "hint") : null;
  return typeof hint === "string" && hint !== ASK_AGAIN ? hint : null;
}

/** True for an error of this package about the code of the host: the same call would fail, and be paid, again. */
function isMistake(error: unknown): boolean {
  return (
    TurnfoldError.isInstance(error) &&
    (readMember(error, "code") === "invalid_option" || readMember(readMember(error, "details"), "option") === "llm")
  );
}

/** The longest delay of a timer; a longer one would fire immediately. */
const MAX_DELAY = 2 ** 31 - 1;

/** Maximum milliseconds of a `Retry-After` that are waited, so that a call does not stay open longer. */
const MAX_RETRY_AFTER = 60_000;

/**
 * Calls a function of the host's retry options. Its error ends the call, and is reported together with that of the
 * model.
 */
function callHostOption<R>(name: string, call: () => R, attempt: number, error: unknown): R {
  try {
    return call();
  } catch (cause) {
    const problem = `${messageOf(error)}; and ${name} threw: ${messageOf(cause)}`;
    throw new TurnfoldError("llm_error", `the model could not be asked: ${problem}`, {
      details: { attempts: attempt },
      cause,
    });
  }
}

/** Waits until the time has passed or the signal aborts, and leaves no timer that keeps the process alive. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(over, signal);
  clearTimeout(timer);
}

/** Codes of Node and its HTTP client for connections that failed or broke. */
const NETWORK =
  /^(?:ECONN\w+|E(?:TIMEDOUT|SOCKETTIMEDOUT|PIPE|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NETRESET|ADDRNOTAVAIL|NOTFOUND)|EAI_\w+|UND_ERR_(?:SOCKET|\w+_TIMEOUT)|ERR_(?:NETWORK|STREAM_PREMATURE_CLOSE|SOCKET_\w+|HTTP2_\w+))$/;

/**
 * True for a transient error; false for one that the same request would get again.
 *
 * @internal
 */
export function isTransient(error: unknown): boolean {
  if (isMistake(error)) return false;
  for (const one of errorChain(error)) {
    const status = statusOf(one);
    if (status !== null) {
      return (status === 408 || status === 409 || status === 429 || status >= 500) && contextRefusal(error) === null;
    }
    const code = readMember(one, "code");
    if (typeof code === "string" && NETWORK.test(code)) return true;
  }
  return contextRefusal(error) === null;
}

/** The seconds to wait in an error of Google. */
const RETRY_DELAY = /"retryDelay": ?"(\d+(?:\.\d+)?)s"/;

/**
 * Returns the milliseconds that the provider asks to wait; 0 if it does not.
 *
 * @internal
 */
export function retryAfter(error: unknown): number {
  for (const one of errorChain(error)) {
    for (const name of ["headers", "responseHeaders"]) {
      const headers = readMember(one, name);
      const milliseconds = Number.parseFloat(headerOf(headers, "retry-after-ms"));
      if (milliseconds >= 0) return milliseconds;
      const given = headerOf(headers, "retry-after");
      if (given === "") continue;
      const wait = /^\s*\d+(?:\.\d+)?\s*$/.test(given) ? Number(given) * 1000 : Date.parse(given) - currentTime();
      if (!Number.isNaN(wait)) return Math.max(0, wait);
    }
    // The client of Google has the body of the response as the message.
    const message = readMember(one, "message");
    const [, seconds] = (typeof message === "string" && RETRY_DELAY.exec(message)) || [];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return 0;
}

/** Returns the text of a header, from `Headers` or from an object with names in any case; empty if there is none. */
function headerOf(headers: unknown, name: string): string {
  try {
    if (typeof headers !== "object" || headers === null) return "";
    const { get } = headers as Partial<Headers>;
    const own =
      typeof get === "function"
        ? get.call(headers, name)
        : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return own === undefined || own === null ? "" : String(own);
  } catch {
    // Headers that can't be read count as none.
    return "";
  }
}
