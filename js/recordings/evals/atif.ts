import { isPlainObject, type PlainObject, textAt } from "../../formats/data.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, type ReplyFacts, usageOfCounts } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatOfMessages,
  objectsOf,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** True for a trajectory in the Agent Trajectory Interchange Format. */
function isAtif(data: unknown): data is PlainObject {
  return (
    isPlainObject(data) &&
    Array.isArray(data.steps) &&
    (/^ATIF/.test(String(data.schema_version)) || data.steps.every((step) => isPlainObject(step) && "source" in step))
  );
}

export const atifReader: RecordingReader = {
  format: "atif",
  recognizes: (given) => [given].flat().some(isAtif),
  read: (given: PlainObject | PlainObject[]) =>
    [given]
      .flat()
      .filter(isAtif)
      .flatMap((one) => chatsOf(one)),
};

/** The chat of a trajectory, and those of its sub-agents. */
function chatsOf(trajectory: PlainObject, kind: RecordedChat["kind"] = "chat"): RecordedChat[] {
  const { agent, subagent_trajectories: inner } = trajectory;
  const { name, model_name: model } = Object(agent) as PlainObject;
  const title = kind === "agent" && typeof name === "string" ? { title: name } : {};
  const chat = chatOfMessages(fromAtif(trajectory, model), { kind, ...title });
  const others = Array.isArray(inner) ? inner.filter(isAtif).flatMap((one) => chatsOf(one, "agent")) : [];
  return [...(chat === null ? [] : [chat]), ...others];
}

/** What a step says of its request. Steps that were copied from another trajectory, or made without a model, have none. */
function factsOf(
  { metrics, model_name: own, timestamp, is_copied_context: isCopied, llm_call_count: calls }: PlainObject,
  model: unknown,
): ReplyFacts {
  const {
    prompt_tokens: input,
    completion_tokens: output,
    cached_tokens: read = 0,
    cost_usd: dollars,
    extra,
  } = Object(metrics) as PlainObject;
  const { cache_creation_input_tokens: written = 0 } = Object(extra) as PlainObject;
  const name = own ?? model;
  const fresh = typeof input === "number" ? Math.max(0, input - Number(read) - Number(written)) : undefined;
  return {
    at: timestamp,
    model: typeof name === "string" ? name : undefined,
    usage:
      input === undefined && output === undefined
        ? undefined
        : usageOfCounts({ fresh, read, written, output, dollars }),
    ...(isCopied === true || calls === 0 ? { isRepeated: true } : {}),
  };
}

/** Converts the steps of a trajectory: messages, reasoning, calls and observations. */
function fromAtif({ steps }: PlainObject, model: unknown): RecordedMessage[] {
  return objectsOf(steps, ["steps"]).flatMap((step, index) => {
    const path = ["steps", index];
    const { source, message, timestamp, reasoning_content: thought, observation } = step;
    const messageText = textOf(message);
    if (source === "user") return [userMessage(messageText, timestamp)];
    if (source === "system" && observation === undefined) return [systemMessage(messageText, timestamp)];
    const calls = objectsOf(step.tool_calls ?? [], [...path, "tool_calls"]).map((one, callIndex) => ({
      id: textAt(one, "tool_call_id", [...path, "tool_calls", callIndex]),
      name: textAt(one, "function_name", [...path, "tool_calls", callIndex]),
      input: one.arguments ?? {},
    }));
    const spoken = [
      ...(typeof thought === "string" && thought !== "" ? [reasoningPart(thought)] : []),
      ...(messageText === "" ? [] : [textPart(messageText)]),
      ...calls.map(({ id, name, input }) => callPart(id, name, input)),
    ];
    const results = isPlainObject(observation)
      ? objectsOf(observation.results ?? [], [...path, "observation", "results"])
      : [];
    return [
      ...(source === "system"
        ? [systemMessage(messageText, timestamp)]
        : assistantMessages(spoken).map((one) => ({ ...one, ...factsOf(step, model) }))),
      ...results.flatMap(({ source_call_id: id, content }) => {
        const made = calls.find((one) => one.id === id);
        return made === undefined ? [] : [resultMessage(made.id, made.name, textOf(content), timestamp)];
      }),
      // An observation without a call is a message of the environment, which must not separate results from calls.
      ...results.flatMap(({ source_call_id: id, content }) =>
        calls.some((one) => one.id === id) ? [] : [userMessage(textOf(content), timestamp)],
      ),
    ];
  });
}
