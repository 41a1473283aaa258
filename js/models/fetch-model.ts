import { messageOf } from "../boundary/host.ts";
import { copyMembers, countOption, functionOption, invalidOption, textOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { readMember } from "../model/error-chain.ts";
import type { LLM, LLMRequest } from "../model/model.ts";
import { sendWhileBusy } from "../model/retry.ts";
import { jsonOrText } from "../values/json-or-text.ts";
import { printable } from "../values/printable.ts";
import { chunksOf, completionsBody, replyOf } from "./chat-completions.ts";
import { beginningOf, readResponse } from "./event-stream.ts";
import { checkModelOptions, type ModelOptions } from "./model-options.ts";

/** Options of {@link fetchModel}. */
export interface FetchModelOptions extends ModelOptions {
  /** Sent as `authorization: Bearer …`. */
  apiKey?: string | undefined;
  /** Further headers, which replace those of the same names, such as `authorization`. */
  headers?: Record<string, string> | Headers | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The number of times that a request is sent again when the server is busy (429 or 503), after its `Retry-After`.
   * Default 2. A request with {@link LLMRequest.attempts} is sent once, because the caller repeats it.
   */
  maxRetries?: number | undefined;
  /** Marks breakpoints for the provider's cache, for models of OpenAI from GPT-5.6 on. */
  cache?: CacheMarks | undefined;
}

/**
 * The error of a refused request. `status` and `headers` tell whether a retry may help, and when. The headers and the
 * body are not enumerable, so that no log shows them.
 *
 * @internal
 */
export class RefusedRequest extends Error {
  readonly status: number;
  declare readonly headers: Headers;
  /** The beginning of the text of the response. */
  declare readonly body: string;
  /** The error message in the response; empty if there is none. */
  readonly said: string;

  constructor({ status, headers }: Response, body: string) {
    const said = errorMessage(body);
    super(`${status}: ${said || "the endpoint refused the request"}`);
    this.said = said;
    this.name = "RefusedRequest";
    this.status = status;
    Object.defineProperty(this, "headers", { value: headers });
    Object.defineProperty(this, "body", { value: body });
  }
}

type FetchOptions = Pick<FetchModelOptions, "apiKey" | "headers" | "fetch" | "maxRetries"> & Record<string, unknown>;

const PATH = "/chat/completions";

const DEFAULT_RETRIES = 2;

/**
 * Makes a callback that calls any endpoint with OpenAI's chat completions: Ollama, llama.cpp, vLLM, LM Studio,
 * OpenRouter and many providers, without a client. It streams, calls tools, passes the schema of a reply, and reports
 * the tokens of the cache. Redirections to another origin are refused, and so are responses of more than 64 MB.
 *
 * @param url the address, such as `http://localhost:11434/v1`; `/chat/completions` is added if it is missing.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = fetchModel("http://localhost:11434/v1", { model: "qwen3" });
 * ```
 */
export function fetchModel(url: string | URL, options: FetchModelOptions): LLM {
  const address = checkUrl(url);
  const {
    apiKey,
    headers,
    fetch: given,
    maxRetries: retries,
    ...rest
  } = copyMembers(options, "the options", 'write { model: "…" }') as FetchOptions;
  const { stream, format, parameters } = checkModelOptions(rest);
  textOption(apiKey, "apiKey");
  functionOption()(given, "fetch");
  const maxRetries = countOption(DEFAULT_RETRIES, 0)(retries, "maxRetries");
  const sent = requestHeaders(apiKey, headers);
  const withoutSecrets = secretRemover(address, sent);
  const post = async (body: object, { signal }: LLMRequest): Promise<Response> => {
    const init = { method: "POST", headers: sent, body: JSON.stringify(body), redirect: "manual" as const };
    let target = address;
    for (let count = 0; ; count++) {
      let response: Response;
      try {
        response = await (given ?? globalThis.fetch)(target, signal === undefined ? init : { ...init, signal });
      } catch (error) {
        throw error instanceof TypeError ? unreachable(address, error, withoutSecrets) : error;
      }
      const next = redirection(response, target);
      if (next === null) return response;
      response.body?.cancel().catch(() => {});
      if (next === "" || new URL(next).origin !== address.origin || count === MAX_REDIRECTS) {
        throw refusedRedirect(next, withoutSecrets);
      }
      target = new URL(next);
    }
  };
  const send = async (body: PlainObject, request: LLMRequest): Promise<Response> => {
    const response = await post(body, request);
    if (response.ok) return response;
    const refusal = new RefusedRequest(response, withoutSecrets(await readBody(response)));
    const { stream_options: refused, ...rest } = body;
    // Some servers stream, but do not accept `stream_options`.
    const again = refused !== undefined && [400, 422].includes(refusal.status) && /stream_options/.test(refusal.body);
    if (!again) throw refusal;
    return send(rest, request);
  };
  return async function* (request) {
    const body = completionsBody(request, parameters, stream, format);
    const retries = request.attempts === undefined ? maxRetries : 0;
    const response = await sendWhileBusy(() => send(body, request), retries, request.signal);
    try {
      yield* readResponse(response, { replyOf, chunksOf });
    } catch (error) {
      throw errorWithoutSecrets(error, withoutSecrets);
    }
  };
}

/** Returns the error of a response, which may repeat the request, without secrets. */
function errorWithoutSecrets(error: unknown, withoutSecrets: (text: string) => string): unknown {
  if (!(error instanceof Error)) return error;
  const { message, cause } = error;
  const cleaned = <T>(data: T): T => (data === undefined ? data : JSON.parse(withoutSecrets(JSON.stringify(data))));
  if (TurnfoldError.isInstance(error)) {
    const { code, details, hint } = error;
    return new TurnfoldError(code, withoutSecrets(message), { details: cleaned(details), hint, cause });
  }
  return isPlainObject(cause) ? new Error(withoutSecrets(message), { cause: cleaned(cause) }) : error;
}

/** @throws {TurnfoldError} `invalid_option` */
function requestHeaders(apiKey: string | undefined, given: FetchModelOptions["headers"]): Record<string, string> {
  const all = new Headers({ "content-type": "application/json" });
  if (apiKey !== undefined) all.set("authorization", `Bearer ${apiKey}`);
  const invalid = invalidOption("headers", "an object of texts by name, or a Headers", given);
  // `Headers` takes a function for an object without members.
  if (typeof given === "function") throw invalid;
  try {
    for (const [name, value] of new Headers(given)) all.set(name, value);
  } catch {
    throw invalid;
  }
  return Object.fromEntries(all);
}

const MAX_REDIRECTS = 5;

/**
 * Returns the address to which a response redirects; empty when it is not known, as in browsers; null for a response
 * that does not redirect.
 */
function redirection(response: Response, from: URL): string | null {
  const { type, status, headers, redirected, url } = response;
  if (type === "opaqueredirect") return "";
  // A `fetch` of the host that has followed redirections by itself.
  if (redirected) return URL.canParse(url) && new URL(url).origin === from.origin ? null : url;
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  const location = headers.get("location") ?? "";
  return URL.canParse(location, from) ? new URL(location, from).href : "";
}

/** The error for a redirection that is not followed: the request has a key, and texts of users. */
function refusedRedirect(to: string, withoutSecrets: (text: string) => string): TurnfoldError {
  const { origin, pathname } = to === "" ? { origin: "another address", pathname: "" } : new URL(to);
  return new TurnfoldError("invalid_reply", withoutSecrets(`the endpoint redirects to ${origin}${pathname}`), {
    hint: "give that address if it is the right one: requests are not sent to another origin than the one that you gave",
  });
}

/** Minimum length of a secret that is removed from texts. */
const MIN_SECRET = 4;

/** Returns a function that replaces the values of the headers and of the query, and the password, in texts. */
function secretRemover(url: URL, headers: Record<string, string>): (text: string) => string {
  const { "content-type": _, ...others } = headers;
  const values = [
    ...Object.values(others),
    ...url.searchParams.values(),
    url.password,
    decodeURIComponent(url.password),
  ];
  const secrets = values.flatMap((value) => [value, value.replace(/^\w+ /, "")]);
  const long = secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    .sort((left, right) => right.length - left.length);
  return (text) => long.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

/**
 * Adds to the message of `fetch`'s error the address without its password and query, and the code of the cause. The error
 * itself, which may have the whole address or the request, is not kept.
 */
function unreachable(
  { href, origin, pathname }: URL,
  error: TypeError,
  withoutSecrets: (text: string) => string,
): Error {
  const inner = readMember(error, "cause");
  const code = readMember(inner, "code");
  const isKnown = typeof code === "string";
  const message = withoutSecrets(error.message.replaceAll(href, "the address"));
  const cause = Object.assign(new Error(withoutSecrets(messageOf(inner ?? error))), isKnown ? { code } : {});
  return new Error(`${message}: ${origin}${pathname}${isKnown ? ` (${code})` : ""}`, { cause });
}

function checkUrl(given: unknown): URL {
  const text = given instanceof URL ? given.href : given;
  if (typeof text !== "string" || !/^https?:\/\//i.test(text.trim()) || !URL.canParse(text.trim())) {
    throw invalidOption("url", "an address that begins with https:// or http://", given, "http://localhost:11434/v1");
  }
  const url = new URL(text.trim());
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(PATH) ? path : path + PATH;
  return url;
}

/** Maximum bytes that are read of the body of a refusal. */
const MAX_REFUSAL_BYTES = 65_536;

async function readBody(response: Response): Promise<string> {
  try {
    return await beginningOf(response, MAX_REFUSAL_BYTES);
  } catch {
    // The status is enough.
    return "";
  }
}

/** Maximum number of characters of the endpoint's message in an error. */
const MAX_MESSAGE_LENGTH = 400;

/** Returns the message of an error response, or the beginning of its text; empty for an HTML page. */
function errorMessage(body: string): string {
  const found = messageIn(jsonOrText(body)) ?? (/^\s*</.test(body) ? "" : body.trim());
  return printable(found.length > MAX_MESSAGE_LENGTH ? `${found.slice(0, MAX_MESSAGE_LENGTH)}…` : found);
}

function messageIn(json: unknown): string | null {
  if (Array.isArray(json)) return messageIn(json[0]);
  if (typeof json !== "object" || json === null) return null;
  const { error, message, detail } = json as Record<string, unknown>;
  if (typeof error === "object" && error !== null) return messageIn(error) ?? JSON.stringify(error);
  const found = [error, message, detail].find((one) => typeof one === "string");
  return (found as string | undefined) ?? (detail === undefined ? null : JSON.stringify(detail));
}
