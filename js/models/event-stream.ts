import { createParser } from "eventsource-parser";
import { TurnfoldError } from "../errors.ts";
import { ASK_AGAIN } from "../model/error-chain.ts";
import type { LLMChunk, LLMReply } from "../model/model.ts";
import { jsonOrText } from "../values/json-or-text.ts";

/**
 * How the replies of a provider are read.
 *
 * @internal
 */
export interface ReplyReader {
  /** Reads a whole reply. */
  replyOf(reply: unknown): LLMReply;
  /**
   * Reads a streamed reply.
   *
   * @param isDone whether the stream has ended with `[DONE]`.
   */
  chunksOf(stream: AsyncIterable<unknown>, isDone?: () => boolean): AsyncGenerator<LLMChunk>;
}

/**
 * Reads the response to a request for a stream: its events, or a whole reply. The type that it declares does not matter,
 * because not every server declares the right one.
 *
 * @throws {TurnfoldError} `invalid_reply` when it is neither.
 *
 * @internal
 */
export async function* readResponse(response: Response, { replyOf, chunksOf }: ReplyReader): AsyncGenerator<LLMChunk> {
  const ending: Ending = { isDone: false, whole: null };
  const events = eventsOf(response, ending);
  const first = await events.next();
  if (ending.whole === null) yield* chunksOf(withFirst(first, events), () => ending.isDone);
  else yield wholeChunk(replyOf(ending.whole));
}

/**
 * Whether a response declares to be a stream of events.
 *
 * @internal
 */
export function isEventStream(headers: Headers): boolean {
  return /^text\/event-stream/i.test(headers.get("content-type") ?? "");
}

/** Returns events of which the first has been read. */
async function* withFirst(first: IteratorResult<unknown>, rest: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * Returns a whole reply as the only piece of a stream.
 *
 * @internal
 */
export function wholeChunk(reply: LLMReply): LLMChunk {
  if (typeof reply === "string") return reply;
  const { content, ...rest } = reply;
  return { text: content, ...rest };
}

interface Ending {
  /** True after `[DONE]`. */
  isDone: boolean;
  /** The JSON of a response without events; null when there are events. */
  whole: unknown;
}

const DONE = "[DONE]";

/** Maximum bytes of a response, after its decompression. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Reads the body of a response piece by piece, up to a limit. Leaving the iteration cancels the response.
 *
 * @throws {TurnfoldError} `invalid_reply` when the body is longer.
 */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
      if (bytes > MAX_BYTES) throw tooLong();
      yield value;
    }
  } finally {
    // A server may never confirm it.
    reader.cancel().catch(() => {});
  }
}

function tooLong(): TurnfoldError {
  return new TurnfoldError("invalid_reply", `the endpoint's response has more than ${MAX_BYTES / 2 ** 20} MB`, {
    hint: "check the address; a reply of a model has a few kilobytes",
  });
}

/**
 * Returns the beginning of the text of a response.
 *
 * @internal
 */
export async function beginningOf({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const piece of piecesOf(body)) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.byteLength;
    if (bytes >= maxBytes) break;
  }
  return text;
}

/** Reads the JSON in the events of a response. Leaving the iteration cancels the response. */
async function* eventsOf({ body, headers }: Response, ending: Ending): AsyncGenerator<unknown> {
  if (body === null) return;
  let pending: string[] = [];
  /** The text of the response until its first event. */
  let text: string | null = "";
  const parser = createParser({
    onEvent: ({ data }) => void pending.push(data.trim()),
    // Versions of llama.cpp send errors in a field of that name.
    onError: ({ field, value }) => void (field === "error" && pending.push(`{"error":${value}}`)),
  });
  const lines = new LineEnds();
  for await (const piece of textsOf(body)) {
    if (text !== null) text += piece;
    parser.feed(lines.normalized(piece));
    for (const data of pending) {
      if (data === DONE) ending.isDone = true;
      // An event without data keeps the connection open.
      if (data === "" || ending.isDone) continue;
      text = null;
      yield parsed(data);
    }
    pending = [];
    if (ending.isDone) break;
  }
  if (text !== null) ending.whole = wholeBody(text, headers);
}

/**
 * Writes every line end as `\n`. The parser would search the rest of a piece for the next `\r` at each line, which takes
 * a time that grows with the square of the piece.
 */
class LineEnds {
  private endsWithReturn = false;

  normalized(piece: string): string {
    if (piece === "") return piece;
    const start = this.endsWithReturn && piece.startsWith("\n") ? 1 : 0;
    this.endsWithReturn = piece.endsWith("\r");
    return piece.slice(start).replace(/\r\n?/g, "\n");
  }
}

/** Decodes a body. Some servers send no empty line after the last event, so one is added. */
async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of piecesOf(body)) yield decoder.decode(piece, { stream: true });
  yield `${decoder.decode()}\n\n`;
}

function parsed(data: string): unknown {
  const json = jsonOrText(data);
  if (typeof json !== "string") return json;
  throw new TurnfoldError("invalid_reply", `the endpoint sent JSON that can't be read: ${data.slice(0, 80)}`, {
    hint: ASK_AGAIN,
  });
}

/** Parses the text of a response without events; returns null if it has only comments. */
function wholeBody(given: string, headers: Headers): unknown {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  // Some servers send the mark of the end after a whole reply.
  const text = given.replace(/data: *\[DONE\]\s*$/, "").trim();
  if (/^[{[]/.test(text) || (text !== "" && /json/i.test(type))) return parsed(text);
  if (text === "" || isEventStream(headers)) return null;
  throw new TurnfoldError("invalid_reply", `the endpoint gave ${type || "a text"}, which is no reply of a model`, {
    hint: "check the address: those of servers with OpenAI's protocol often end in /v1",
  });
}
