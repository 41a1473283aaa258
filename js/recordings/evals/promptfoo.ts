import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { messagesOfAny } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedUsage, usageOfCounts, withCost } from "../reading/recorded-chat.ts";
import { objectIn, timeFrom } from "../reading/values.ts";
import { chatsOfRequests, type LoggedRequest } from "../traces/request-log.ts";

/** Reads results of promptfoo, as JSON or JSON Lines: each test is a request. */
export const promptfooReader: RecordingReader = {
  format: "promptfoo",
  recognizes: (given) => resultsIn(given).some(isResult),
  read: (given: unknown) => {
    const requests = resultsIn(given)
      .filter(isResult)
      .map((result) => requestOf(result, objectIn(objectIn(given).results).timestamp));
    return chatsOfRequests(requests.filter(({ sent }) => sent.length > 0));
  },
};

const isResult = ({ prompt, provider, response, vars }: PlainObject): boolean =>
  isPlainObject(prompt) &&
  typeof prompt.raw === "string" &&
  (provider ?? vars) !== undefined &&
  isPlainObject(response);

function resultsIn(given: unknown): PlainObject[] {
  if (Array.isArray(given)) return given.filter(isPlainObject);
  const { results } = objectIn(given);
  return isPlainObject(given) && "prompt" in given
    ? [given]
    : objectsIn(isPlainObject(results) ? results.results : results);
}

/** What stands before the model in the id of a provider, such as `openai:chat:gpt-4.1`. */
const PROVIDER = /^[a-z-]+:(?:(?:chat|messages|responses|completion):)?(?=.)/;

/** The reply of an output: a text, the calls of tools, or what a provider's client gave. */
function replyOf(output: unknown): unknown {
  if (typeof output === "string") return [output];
  const isCalls = Array.isArray(output) && output.every((one) => isPlainObject(one) && "function" in one);
  return isCalls ? { role: "assistant", content: null, tool_calls: output } : output;
}

function requestOf({ prompt, provider, response, cost, description }: PlainObject, time: unknown): LoggedRequest {
  const { output, tokenUsage, cached, cost: own = cost } = objectIn(response);
  const id = isPlainObject(provider) ? provider.id : provider;
  return {
    sent: messagesOfAny(objectIn(prompt).raw, "user"),
    reply: messagesOfAny(replyOf(output), "assistant"),
    model: typeof id === "string" ? id.replace(PROVIDER, "") : undefined,
    // A reply of promptfoo's own cache was not billed.
    usage: cached === true ? undefined : withCost(usageIn(objectIn(tokenUsage)), own),
    at: timeFrom(time),
    title: typeof description === "string" ? description : undefined,
  };
}

const usageIn = ({ prompt, completion, completionDetails }: PlainObject): RecordedUsage | undefined =>
  usageOfCounts({ fresh: prompt, output: completion, reasoning: objectIn(completionDetails).reasoning });
