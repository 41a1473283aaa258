import { currentTime } from "../boundary/clock.ts";
import { countOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import { jsonOf } from "./waiting-call.ts";

/** Options of {@link readSignedState}. */
export interface SignedStateOptions {
  /** The longest time since it was signed, in milliseconds. Default: no limit. */
  maxAgeMs?: number | undefined;
}

/** What separates the parts of a signed state: its HMAC, the time in milliseconds, and the JSON. */
const SEPARATOR = ".";

/**
 * Signs a state that passes through hands that are not trusted, such as a browser or a queue: a step that waits, a checkpoint,
 * records. Anybody can read it, and {@link readSignedState} refuses it when it was changed.
 *
 * @param key a secret text of 32 characters and more, or a `CryptoKey` for HMAC.
 * @returns a text: an HMAC with SHA-256, the time, and the JSON.
 * @throws {TurnfoldError} `invalid_argument` for a key that is none, `invalid_value` for a state that is not JSON.
 *
 * @example
 * ```ts
 * const key = "a secret text of at least thirty-two characters";
 * const text = await signState({ order: 17 }, key); // in a hidden field of a form
 * ```
 */
export async function signState(state: unknown, key: string | CryptoKey | undefined): Promise<string> {
  const hmac = await keyOf(key, "sign");
  const content = `${currentTime()}${SEPARATOR}${JSON.stringify(jsonOf(state, "the state"))}`;
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(content)));
  return `${hex(signature)}${SEPARATOR}${content}`;
}

/**
 * Reads what {@link signState} wrote.
 *
 * @throws {TurnfoldError} `untrusted_state` when it was changed, is signed with another key or is too old; `invalid_argument`,
 * `invalid_option`.
 *
 * @example
 * ```ts
 * const key = "a secret text of at least thirty-two characters";
 * const state = await readSignedState(await signState({ order: 17 }, key), key, { maxAgeMs: 86_400_000 });
 * ```
 */
export async function readSignedState(
  signed: string,
  key: string | CryptoKey | undefined,
  options: SignedStateOptions = {},
): Promise<unknown> {
  const { maxAgeMs } = readOptions("the options of readSignedState", options, {
    maxAgeMs: countOption(undefined, 0),
  } satisfies OptionChecks<SignedStateOptions>);
  const hmac = await keyOf(key, "verify");
  if (typeof signed !== "string") {
    throw new TurnfoldError("invalid_argument", `a signed state is a text, got ${describe(signed)}`);
  }
  const [signature = "", time = ""] = signed.split(SEPARATOR, 2);
  const content = signed.slice(signature.length + SEPARATOR.length);
  const isSigned =
    /^[\da-f]{64}$/.test(signature) &&
    (await crypto.subtle.verify("HMAC", hmac, bytesOf(signature), new TextEncoder().encode(content)));
  if (!isSigned) throw untrusted("changed", "it was changed, or signed with another key");
  const age = currentTime() - Number(time);
  if (maxAgeMs !== undefined && age > maxAgeMs) throw untrusted("expired", `it was signed ${age} ms ago`);
  return JSON.parse(content.slice(time.length + SEPARATOR.length));
}

function untrusted(problem: string, what: string): TurnfoldError {
  return new TurnfoldError("untrusted_state", `the state can't be trusted: ${what}`, { details: { problem } });
}

/** @throws {TurnfoldError} `invalid_argument` */
async function keyOf(key: unknown, use: KeyUsage): Promise<CryptoKey> {
  if (typeof key === "object" && key !== null) return key as CryptoKey;
  if (typeof key !== "string" || key.length < 32) {
    // The text of a key is in no message.
    const got = typeof key === "string" ? `one of ${key.length}` : describe(key);
    throw new TurnfoldError("invalid_argument", `a key is a secret text of 32 characters and more, got ${got}`, {
      hint: "crypto.randomUUID() + crypto.randomUUID()",
    });
  }
  return crypto.subtle.importKey("raw", new TextEncoder().encode(key), { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16));
