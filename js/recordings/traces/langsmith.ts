import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { messagesOfAny } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOf, usageOfCounts, withCost } from "../reading/recorded-chat.ts";
import { objectIn, textIn, timeFrom } from "../reading/values.ts";
import { chatsOfRequests, type LoggedRequest } from "./request-log.ts";

/** Reads runs of LangSmith, as its API and its export give them: those of the type `llm`. */
export const langSmithReader: RecordingReader = {
  format: "langsmith",
  recognizes: (given) => runsIn(given).some(isRun),
  read: (given: unknown) => chatsOfRequests(runsIn(given).flatMap(requestsOf)),
};

const isRun = (record: PlainObject): boolean =>
  typeof record.run_type === "string" && ["inputs", "dotted_order", "trace_id"].some((name) => name in record);

const runsIn = (given: unknown): PlainObject[] =>
  objectsIn(isPlainObject(given) && Array.isArray(given.runs) ? given.runs : [given].flat());

/** The requests of a run and of those in it. */
function requestsOf(run: PlainObject): LoggedRequest[] {
  const inner = objectsIn(run.child_runs).flatMap(requestsOf);
  const { inputs, outputs, error, start_time: start, end_time: end, trace_id: trace } = run;
  if (run.run_type !== "llm" || (error ?? null) !== null) return inner;
  const extra = objectIn(run.extra);
  const metadata = { ...objectIn(extra.metadata), ...objectIn(run.metadata) };
  const { reply, facts } = replyIn(objectIn(outputs));
  const request: LoggedRequest = {
    sent: messagesOfAny(inputs, "user"),
    reply: messagesOfAny(reply, "assistant"),
    id: textIn(facts.id),
    model: textIn(facts.model_name, facts.model, metadata.ls_model_name, objectIn(extra.invocation_params).model),
    usage: withCost(
      usageOf(facts.usage_metadata ?? facts.usage ?? facts.token_usage) ??
        usageOfCounts({ fresh: run.prompt_tokens, output: run.completion_tokens }),
      run.total_cost,
    ),
    at: timeFrom(end),
    start: timeFrom(start),
    session: textIn(metadata.session_id, metadata.thread_id, metadata.conversation_id, trace),
  };
  return [request, ...inner];
}

/** The reply of a run, in LangChain's generations or as the provider's client gave it, and what it says of itself. */
function replyIn(outputs: PlainObject): { reply: unknown; facts: PlainObject } {
  const generation = [outputs.generations].flat(2)[0];
  if (!isPlainObject(generation))
    return { reply: outputs.output ?? outputs, facts: { ...objectIn(outputs.output), ...outputs } };
  const { message, text, generation_info: info } = generation;
  const { kwargs, data } = objectIn(message);
  const said = { ...objectIn(message), ...objectIn(kwargs ?? data) };
  return {
    reply: message ?? text,
    facts: { ...objectIn(outputs.llm_output), ...objectIn(info), ...objectIn(said.response_metadata), ...said },
  };
}
