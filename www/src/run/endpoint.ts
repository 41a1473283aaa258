import { signal } from "@preact/signals";
import { type LLMChunk, type LLMRequest, TurnfoldError } from "turnfold";
import { fetchModel } from "turnfold/models/fetch";
import { focusSoon } from "../page/focus.ts";
import { messageOf } from "../page/problem.ts";

/**
 * The settings of the endpoint. They are in memory only and not part of the page's state: otherwise a link could contain an
 * address to which the reader's key is sent.
 */
export const endpoint = signal<Endpoint>({ address: "", key: "", model: "", temperature: "" });

/** Whether missing settings of the endpoint are marked, which begins with the first attempt to use it. */
export const marksMissingSettings = signal(false);

export interface Endpoint {
  readonly address: string;
  readonly key: string;
  readonly model: string;
  /** The temperature; an empty text is the default of the endpoint. */
  readonly temperature: string;
}

export type EndpointField = keyof Endpoint;

/** The problems of the settings by field. */
export function endpointProblems({ address, model, temperature }: Endpoint): ReadonlyMap<EndpointField, string> {
  const problems = new Map<EndpointField, string>();
  if (urlOf(address) === null)
    problems.set("address", "Write an address that begins with https:// or http://, such as https://api.openai.com/v1");
  if (model.trim() === "") problems.set("model", "Write the model’s name as the endpoint knows it");
  const number = Number(temperature);
  if (temperature.trim() !== "" && !(number >= 0 && number <= 2))
    problems.set("temperature", "Write a number from 0 to 2, or nothing for the endpoint’s default");
  return problems;
}

/** Why the endpoint can't be asked; null when it can. Focuses and marks the missing settings. */
export function endpointRefusal(): string | null {
  marksMissingSettings.value = true;
  const [missing] = endpointProblems(endpoint.value).keys();
  if (missing === undefined) return null;
  focusSoon(`endpoint-${missing}`);
  return "The endpoint is not set up yet: correct the marked fields.";
}

const PATH = "/chat/completions";

/** The URL of the endpoint; null for an invalid address, or one that contains a password. */
function urlOf(address: string): URL | null {
  const text = address.trim();
  if (!/^https?:\/\//i.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return null;
  url.hash = "";
  return url;
}

/**
 * Asks the endpoint, and yields its reply as it arrives. Throws errors whose messages can be shown to the user.
 *
 * @param note is called with warnings about the reply.
 */
export async function* askEndpoint(
  { address, key, model, temperature }: Endpoint,
  request: LLMRequest,
  note: (text: string) => void,
): AsyncGenerator<LLMChunk> {
  let length = 0;
  try {
    const url = urlOf(address);
    if (url === null) throw new Error("the address can’t be read");
    const llm = fetchModel(url, {
      model: model.trim(),
      ...(key.trim() === "" ? {} : { apiKey: key.trim() }),
      ...(temperature.trim() === "" ? {} : { temperature: Number(temperature) }),
      // The user reads that the endpoint is busy, and for how long, and decides.
      maxRetries: 0,
      fetch: (to, init = {}) => post(to as URL, init, key),
    });
    for await (const chunk of llm(request) as AsyncIterable<Exclude<LLMChunk, string>>) {
      length += chunk.text?.length ?? 0;
      tellWhyItEnded(chunk.finishReason, note);
      yield chunk;
    }
  } catch (error) {
    throw new Error(withoutKey(problemOf(error, length), key.trim()), { cause: error });
  }
}

/** Removes the key: an endpoint may repeat it in an error, and errors are saved with the step. */
const withoutKey = (text: string, key: string): string => (key === "" ? text : text.replaceAll(key, "(the key)"));

async function post(url: URL, init: RequestInit, key: string): Promise<Response> {
  let response: Response;
  try {
    // The key is sent to the typed address, not to the target of a redirect.
    response = await fetch(url, { ...init, credentials: "omit", redirect: "manual" });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new NotSentError(await unreachable(url, key), { cause: error });
  }
  if (response.type === "opaqueredirect")
    throw new NotSentError("the address redirects to another one, to which the key is not sent: enter that address");
  return response;
}

/** The request could not be sent to the endpoint. */
class NotSentError extends Error {}

/** The message for the user about an error. */
function problemOf(error: unknown, length: number): string {
  if (error instanceof NotSentError) return error.message;
  if (error instanceof TurnfoldError) return error.hint === null ? error.message : `${error.message}: ${error.hint}`;
  const { status, headers, said } = error as { status?: unknown; headers?: unknown; said?: unknown };
  if (typeof status === "number" && headers instanceof Headers) return refused(status, headers, String(said));
  // Each browser has another message for a broken connection.
  if (error instanceof TypeError)
    return `the connection ended before the reply did, after ${length} characters: ask again`;
  return messageOf(error);
}

/** The likely reason for a failed request, which browsers hide. Found by checks that do not send the key. */
async function unreachable(url: URL, key: string): Promise<string> {
  if (!navigator.onLine && !isLocal(url)) return "this device is offline";
  // A browser sends no header with a character outside Latin-1, such as a typographic quote in a pasted key.
  if (/[^\x20-\x7e]/.test(key.trim())) return "the key has an invalid character: paste it again";
  if (location.protocol === "https:" && url.protocol === "http:" && !isLocal(url))
    return `this page was loaded over https, so the browser blocks requests to ${url.origin}: use an https address`;
  const answers = await fetch(url.origin, { mode: "no-cors", credentials: "omit", cache: "no-store" }).then(
    () => true,
    () => false,
  );
  return answers
    ? `${url.origin} answers, but does not allow requests from this page (CORS): let the server allow the origin ${location.origin}, or put a proxy in front of it that does`
    : `nothing answers at ${url.origin}: check the address, and that the server runs`;
}

const isLocal = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$|\.localhost$/.test(hostname);

function refused(status: number, headers: Headers, message: string): string {
  const wait = headers.get("retry-after");
  return `${adviceOn(status, wait)} (${status})${message === "" ? "" : `. It says: ${message}`}`;
}

function adviceOn(status: number, wait: string | null): string {
  switch (status) {
    case 400:
    case 422:
      return "the endpoint does not accept the request: check the model’s name and the temperature";
    case 401:
      return "the endpoint does not accept the key: check that it is complete, and that it belongs to this address";
    case 402:
      return "the endpoint requires payment: check the credit of the account";
    case 403:
      return "the key is not allowed to do this: check what it may use, and the model’s name";
    case 404:
      return `the endpoint has no such path or model: check that the address ends before ${PATH}, and the model’s name`;
    case 413:
      return "the request is too long for the endpoint: choose a strategy or a limit that makes it shorter";
    case 429:
      return `the endpoint has had too many requests, or the quota is used up: wait${wait === null ? " a little" : ` ${/^\d+$/.test(wait) ? `${wait} s` : `until ${wait}`}`}, then ask again`;
    default:
      return status >= 500 ? "the endpoint itself failed: ask again in a while" : "the endpoint refused the request";
  }
}

function tellWhyItEnded(reason: string | null | undefined, note: (text: string) => void): void {
  if (reason === "length") note("the model reached its token limit, so its reply may be cut off");
  if (reason === "content_filter") note("the endpoint’s filter left out a part of the reply");
}
