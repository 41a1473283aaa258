import { TurnfoldError } from "../errors.ts";
import type { PlainObject } from "../formats/data.ts";
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
    yield* chunksOf((await ask(request)) as AsyncIterable<unknown>);
  };
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
  return new TurnfoldError(
    "invalid_reply",
    `the stream ended before the reply did, after ${length} ${length === 1 ? "character" : "characters"}`,
    {
      hint: "ask again",
    },
  );
}
