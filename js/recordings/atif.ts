import { isPlainObject, type PlainObject, textAt } from "../formats/data.ts";
import type { RecordingReader } from "./reader.ts";
import {
  assistantMessages,
  callPart,
  chatsOfMessages,
  objectsOf,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "./recorded-message.ts";

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
  recognizes: isAtif,
  read: (trajectory: PlainObject) => chatsOfMessages([fromAtif(trajectory)]),
};

/** Converts the steps of a trajectory: messages, reasoning, calls and observations. */
function fromAtif({ steps }: PlainObject): RecordedMessage[] {
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
      ...(source === "system" ? [systemMessage(messageText, timestamp)] : assistantMessages(spoken, timestamp)),
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
