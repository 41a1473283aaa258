import { TurnfoldError } from "../errors.ts";
import type { PlainObject } from "../formats/data.ts";
import { ASK_AGAIN, readMember } from "../model/error-chain.ts";
import type { LLM, LLMRequest } from "../model/model.ts";
import { isEventStream, type ReplyReader, readResponse, wholeChunk } from "./event-stream.ts";

/**
 * Makes a callback that asks a client for a stream or for a whole reply.
 *
 * @param ask sends a request.
 *
 * @internal
 */
export function clientCallback(ask: (request: LLMRequest) => unknown, stream: boolean, reader: ReplyReader): LLM {
  const { replyOf, chunksOf } = reader;
  if (!stream) return async (request) => replyOf(await ask(request));
  return async function* (request) {
    const { reply, response } = await receive(ask(request));
    const isStream = typeof Object(reply)[Symbol.asyncIterator] === "function";
    // Some clients and servers do not stream.
    if (!isStream) yield wholeChunk(replyOf(reply));
    else if (response === null) yield* chunksOf(reply as AsyncIterable<unknown>);
    else yield* readResponse(response, reader);
  };
}

/**
 * Returns a function that sends requests with the method `create` of a client's object.
 *
 * @internal
 */
export function withCreate(
  owner: unknown,
  bodyOf: (request: LLMRequest) => PlainObject,
): (request: LLMRequest) => unknown {
  return (request) => {
    const { signal } = request;
    const { create } = owner as { create: (body: PlainObject, options: object) => unknown };
    return create.call(owner, bodyOf(request), signal === undefined ? {} : { signal });
  };
}

/**
 * Returns what a client gives, and the response if it is no stream of events. Clients read any response as a stream,
 * and find nothing in one of a server that does not stream.
 */
async function receive(asked: unknown): Promise<{ reply: unknown; response: Response | null }> {
  const withResponse = readMember(asked, "withResponse");
  if (typeof withResponse !== "function") return { reply: await asked, response: null };
  const { data, response } = (await withResponse.call(asked)) as { data: unknown; response: Response };
  return { reply: data, response: isEventStream(response.headers) ? null : response };
}

/**
 * Returns the model that a reply names.
 *
 * @internal
 */
export function modelOf({ model }: PlainObject): { model?: string } {
  return typeof model === "string" ? { model } : {};
}

/**
 * Makes the error of a stream that ended before the reply did.
 *
 * @internal
 */
export function streamEndedError(length: number): TurnfoldError {
  const characters = length === 1 ? "character" : "characters";
  return new TurnfoldError("invalid_reply", `the stream ended before the reply did, after ${length} ${characters}`, {
    hint: ASK_AGAIN,
  });
}
