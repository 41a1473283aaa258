import { TurnfoldError } from "../errors.ts";
import type { PlainObject } from "../formats/data.ts";
import { ASK_AGAIN } from "../model/error-chain.ts";
import type { LLM, LLMChunk, LLMReply, LLMRequest } from "../model/model.ts";

/** How the replies of a provider are read. */
interface ReplyReader {
  replyOf(reply: unknown): LLMReply;
  chunksOf(stream: AsyncIterable<unknown>): AsyncGenerator<LLMChunk>;
}

/**
 * Makes a callback that calls the method `create` of a client, for a stream or for a whole reply.
 *
 * @param owner the object with the method.
 *
 * @internal
 */
export function clientCallback(
  owner: unknown,
  stream: boolean,
  bodyOf: (request: LLMRequest) => PlainObject,
  { replyOf, chunksOf }: ReplyReader,
): LLM {
  const ask = (request: LLMRequest): unknown => {
    const { signal } = request;
    const { create } = owner as { create: (body: PlainObject, options: object) => unknown };
    return create.call(owner, bodyOf(request), signal === undefined ? {} : { signal });
  };
  if (!stream) return async (request) => replyOf(await ask(request));
  return async function* (request) {
    const reply = await ask(request);
    const isStream = typeof Object(reply)[Symbol.asyncIterator] === "function";
    // Some clients and servers do not stream.
    if (isStream) yield* chunksOf(reply as AsyncIterable<unknown>);
    else yield wholeChunk(replyOf(reply));
  };
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
