import { signal } from "@preact/signals";
import type { LLMChunk, LLMRequest, Usage } from "turnfold";
import { focusSoon } from "../focus.ts";
import { events } from "./server-events.ts";

/**
 * The settings of the endpoint. They are in memory only and not part of the page's state: a link with an address could send
 * the reader's key there.
 */
export const endpoint = signal<Endpoint>({ address: "", key: "", model: "", temperature: "" });

/** Whether missing settings of the endpoint are marked: only after the first attempt to use it. */
export const endpointAsked = signal(false);

export interface Endpoint {
  readonly address: string;
  readonly key: string;
  readonly model: string;
  /** A number; empty: the default of the endpoint. */
  readonly temperature: string;
}

export type EndpointField = keyof Endpoint;

/** The problems of the endpoint's settings by field. */
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
  endpointAsked.value = true;
  const [missing] = endpointProblems(endpoint.value).keys();
  if (missing === undefined) return null;
  focusSoon(`endpoint-${missing}`);
  return "There is no endpoint to ask yet: correct the marked fields.";
}

const PATH = "/chat/completions";

/** The URL of requests: the address, with the path of chat completions added when it is missing. */
export function urlOf(address: string): URL | null {
  const text = address.trim();
  if (!/^https?:\/\//i.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return null;
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(PATH) ? path : path + PATH;
  url.hash = "";
  return url;
}

/**
 * Asks the endpoint, and yields its reply as it arrives. Throws errors whose messages can be shown to the user.
 *
 * @param note called with warnings about a reply.
 */
export async function* askEndpoint(
  settings: Endpoint,
  { messages, signal }: LLMRequest,
  note: (text: string) => void,
): AsyncGenerator<LLMChunk> {
  try {
    const response = await responseOf(settings, messages, signal);
    const type = response.headers.get("content-type") ?? "";
    if (/^text\/event-stream/i.test(type)) yield* streamed(response, note);
    else yield whole(await textOf(response), type, note);
  } catch (error) {
    throw new Error(withoutKey(error instanceof Error ? error.message : String(error), settings.key.trim()));
  }
}

/** Removes the key: an endpoint may repeat it in an error, and errors are saved with the step. */
const withoutKey = (text: string, key: string): string => (key === "" ? text : text.replaceAll(key, "(the key)"));

async function responseOf(
  settings: Endpoint,
  messages: LLMRequest["messages"],
  signal: AbortSignal | undefined,
): Promise<Response> {
  const url = urlOf(settings.address);
  if (url === null) throw new Error("the address can’t be read");
  const response = await post(url, settings, messages, { stream_options: { include_usage: true } }, signal);
  if (response.ok) return response;
  if (response.type === "opaqueredirect")
    throw new Error("the address leads to another one, and the key does not follow: write the one that it leads to");
  const message = await refusalOf(response);
  // Some servers support streaming, but not `stream_options`.
  if ((response.status === 400 || response.status === 422) && /stream_options/.test(message)) {
    const again = await post(url, settings, messages, {}, signal);
    if (again.ok) return again;
    throw new Error(refused(again, await refusalOf(again)));
  }
  throw new Error(refused(response, message));
}

async function post(
  url: URL,
  { key, model, temperature }: Endpoint,
  messages: LLMRequest["messages"],
  more: object,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const body = {
    model: model.trim(),
    messages,
    ...(temperature.trim() === "" ? {} : { temperature: Number(temperature) }),
    stream: true,
    ...more,
  };
  try {
    return await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key.trim() === "" ? {} : { authorization: `Bearer ${key.trim()}` }),
      },
      body: JSON.stringify(body),
      credentials: "omit",
      // The key is sent to the typed address, not to the target of a redirect.
      redirect: "manual",
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Error(await unreachable(url, key), { cause: error });
  }
}

/** Browsers hide why a request failed. This finds out what it can without the key. */
async function unreachable(url: URL, key: string): Promise<string> {
  if (!navigator.onLine && !isLocal(url)) return "this device is offline";
  // A header holds bytes: the browser rejects a key with a typographic quote before it sends anything.
  if (/[^\x20-\x7e]/.test(key.trim())) return "the key has a character in it that no key has: paste it again";
  if (location.protocol === "https:" && url.protocol === "http:" && !isLocal(url))
    return `this page came over https, so the browser does not let it ask ${url.origin}: use an https address`;
  const answers = await fetch(url.origin, { mode: "no-cors", credentials: "omit", cache: "no-store" }).then(
    () => true,
    () => false,
  );
  return answers
    ? `${url.origin} answers, but does not allow pages such as this one (CORS): let the server allow the origin ${location.origin}, or put a proxy in front of it that does`
    : `nothing answers at ${url.origin}: check the address, and that the server runs`;
}

const isLocal = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$|\.localhost$/.test(hostname);

const MOST_CHARACTERS = 400;

/** The message of an error response, or the beginning of its text. */
async function refusalOf(response: Response): Promise<string> {
  const text = (await response.text().catch(() => "")).trim();
  const found = messageIn(parsed(text)) ?? (/^</.test(text) ? "" : text);
  return found.length > MOST_CHARACTERS ? `${found.slice(0, MOST_CHARACTERS)}…` : found;
}

function messageIn(json: unknown): string | null {
  if (Array.isArray(json)) return messageIn(json[0]);
  if (typeof json !== "object" || json === null) return null;
  const { error, message, detail } = json as { error?: unknown; message?: unknown; detail?: unknown };
  if (typeof error === "object" && error !== null) return messageIn(error) ?? JSON.stringify(error);
  const found = [error, message, detail].find((each) => typeof each === "string");
  return found === undefined ? (detail === undefined ? null : JSON.stringify(detail)) : (found as string);
}

function refused({ status, headers }: Response, message: string): string {
  const wait = headers.get("retry-after");
  return `${adviceOn(status, wait)} (${status})${message === "" ? "" : `. It says: ${message}`}`;
}

function adviceOn(status: number, wait: string | null): string {
  switch (status) {
    case 400:
    case 422:
      return "the endpoint does not take the request: check the model’s name and the temperature";
    case 401:
      return "the endpoint does not accept the key: check that it is complete, and that it belongs to this address";
    case 402:
      return "the endpoint requires payment: check the credit of the account";
    case 403:
      return "the key is not allowed to do this: check what it may use, and the model’s name";
    case 404:
      return `the endpoint knows no such path or model: check that the address ends before ${PATH}, and the model’s name`;
    case 413:
      return "the request is too long for the endpoint: choose a strategy or a limit that makes it shorter";
    case 429:
      return `the endpoint has had too many requests, or the quota is used up: wait${wait === null ? " a little" : ` ${/^\d+$/.test(wait) ? `${wait} s` : `until ${wait}`}`}, then ask again`;
    default:
      return status >= 500 ? "the endpoint itself failed: ask again in a while" : "the endpoint refused the request";
  }
}

interface Completion {
  readonly choices?: readonly {
    readonly delta?: Message;
    readonly message?: Message;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  } | null;
  readonly error?: unknown;
}

interface Message {
  readonly content?: unknown;
  readonly refusal?: unknown;
}

async function* streamed(response: Response, note: (text: string) => void): AsyncGenerator<LLMChunk> {
  let length = 0;
  let ended = false;
  try {
    for await (const data of events(response)) {
      if (data === "[DONE]") {
        ended = true;
        break;
      }
      const part = completionOf(data);
      const choice = part.choices?.[0];
      const text = textIn(choice?.delta) ?? textIn(choice?.message) ?? "";
      length += text.length;
      // The usage follows the last choice.
      if (choice?.finish_reason) {
        ended = true;
        tellWhyItEnded(choice.finish_reason, note);
      }
      yield { text, usage: usageOf(part), finishReason: choice?.finish_reason ?? null };
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (!ended) throw new Error(cutOff(length), { cause: error });
  }
  if (!ended) throw new Error(cutOff(length));
}

function tellWhyItEnded(reason: string, note: (text: string) => void): void {
  if (reason === "length") note("the model came to the end of its tokens, so its reply may be cut off");
  if (reason === "content_filter") note("the endpoint’s filter left out a part of the reply");
}

const cutOff = (length: number): string =>
  `the connection ended before the reply did, after ${length} characters: ask again`;

/** The error message in an event of the stream. */
class Refused extends Error {}

function completionOf(text: string): Completion {
  const json = parsed(text);
  if (typeof json !== "object" || json === null)
    throw new Refused(`the endpoint sent what is not JSON: ${text.slice(0, 80)}`);
  const completion = json as Completion;
  if (completion.error) throw new Refused(`the endpoint gave up: ${messageIn(json) ?? "it does not say why"}`);
  return completion;
}

/** A server that does not stream gives the whole completion. */
function whole(text: string, type: string, note: (text: string) => void): LLMChunk {
  if (typeof parsed(text) !== "object") {
    const what = type === "" ? "something" : type.split(";")[0];
    throw new Error(
      `this is no chat completions endpoint: it gave ${what} that is not JSON. Check the address, which often ends in /v1`,
    );
  }
  const completion = completionOf(text);
  const choice = completion.choices?.[0];
  const reply = textIn(choice?.message);
  if (reply === null)
    throw new Error("the endpoint’s answer has no choices[0].message.content: it may speak another protocol");
  tellWhyItEnded(choice?.finish_reason ?? "", note);
  return { text: reply, usage: usageOf(completion), finishReason: choice?.finish_reason ?? null };
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw new Error(cutOff(0), { cause: error });
  }
}

function textIn(message: Message | undefined): string | null {
  const text = message?.content ?? message?.refusal;
  if (typeof text === "string") return text;
  // Some servers send parts. Parts that are not text, such as thoughts, do not belong to the reply.
  const parts = Array.isArray(text) ? (text as readonly { readonly text?: unknown }[]) : null;
  return parts?.map((part) => (typeof part?.text === "string" ? part.text : "")).join("") ?? null;
}

function usageOf({ usage }: Completion): Usage {
  return Object.fromEntries(
    [
      ["inputTokens", usage?.prompt_tokens],
      ["outputTokens", usage?.completion_tokens],
      ["cachedTokens", usage?.prompt_tokens_details?.cached_tokens],
    ].filter(([, count]) => typeof count === "number"),
  ) as Usage;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
