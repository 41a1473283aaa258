import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  type RecordedChat,
  type RecordedUsage,
  type ReplyFacts,
  usageOf,
  usageOfCounts,
} from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";
import { objectIn, textIn, timeFrom } from "../reading/values.ts";

/** Reads trajectories of OpenHands: the events of a session, of its first versions or of its SDK, and results of evaluations. */
export const openHandsReader: RecordingReader = {
  format: "openhands",
  recognizes: (given) => runsIn(given).some(({ events }) => events.some(isEvent)),
  read: (given: unknown) => runsIn(given).flatMap(({ events, run }) => chatsOfRun(events, run)),
};

/** True for an event of either version. */
const isEvent = (event: PlainObject): boolean =>
  typeof event.source === "string" &&
  (typeof event.kind === "string"
    ? ["llm_message", "tool_call_id", "system_prompt"].some((name) => name in event)
    : ("action" in event && isPlainObject(event.args)) || ("observation" in event && "content" in event));

interface Run {
  events: PlainObject[];
  run: PlainObject;
}

/** The events of a list or of an object with them; of lines, each may be a run. */
function runsIn(given: unknown): Run[] {
  const eventsIn = (run: PlainObject) => objectsIn(run.history ?? run.trajectory ?? run.events);
  if (isPlainObject(given)) return [{ events: eventsIn(given), run: given }];
  const records = objectsIn(given);
  const runs = records.filter((record) => eventsIn(record).length > 0);
  return runs.length > 0 ? runs.map((run) => ({ events: eventsIn(run), run })) : [{ events: records, run: {} }];
}

/** A message with the event of which it was made. */
type EventMessage = RecordedMessage & { event: unknown };

function chatsOfRun(given: readonly PlainObject[], run: PlainObject): RecordedChat[] {
  const usages = usagesIn([run, ...given]);
  const histories = new Histories<EventMessage>();
  const seen = new Set<unknown>();
  for (const event of given) {
    const args = { ...objectIn(event.args), ...event };
    if ("forgotten_event_ids" in args || "forgotten_events_start_id" in args) {
      histories.restart("compacted", condensed(histories.messages, args));
      continue;
    }
    for (const message of event.kind === undefined ? messagesOfEvent(event, seen) : messagesOfSDK(event)) {
      const { usage = message.usage, model = message.model } = usages.get(message.id) ?? {};
      // Each call of a reply is an event, with the id of the reply.
      if (message.id !== undefined) usages.delete(message.id);
      const at = timeFrom(event.timestamp);
      place(histories.messages, { ...message, at, ...(usage === undefined ? {} : { usage, model }), event: event.id });
    }
  }
  const title = textIn(run.instance_id);
  return histories.chats((messages, facts) => chatOfMessages(messages, facts), title === undefined ? {} : { title });
}

/** Adds a message: a further call of a reply behind its other calls, before their results. */
function place(messages: EventMessage[], message: EventMessage): void {
  const last = message.id === undefined ? -1 : messages.map(({ id }) => id).lastIndexOf(message.id);
  messages.splice(last === -1 ? messages.length : last + 1, 0, message);
}

/** The history without the events that a condensation forgets, with the summary of them. */
function condensed(messages: readonly EventMessage[], args: PlainObject): EventMessage[] {
  const {
    forgotten_event_ids: ids,
    forgotten_events_start_id: from,
    forgotten_events_end_id: to,
    summary,
    summary_offset: offset,
  } = args;
  const isForgotten = ({ event }: EventMessage) =>
    Array.isArray(ids) ? ids.includes(event) : Number(event) >= Number(from) && Number(event) <= Number(to);
  const kept = messages.filter((message) => !isForgotten(message)).map((message) => ({ ...message, isRepeated: true }));
  if (textIn(summary) !== undefined)
    kept.splice(Number(offset ?? 0), 0, { ...userMessage(summary), event: undefined, isRepeated: true });
  return kept;
}

/** The messages of an action or an observation. */
function messagesOfEvent(event: PlainObject, seen: Set<unknown>): RecordedMessage[] {
  const { action, args: given, observation, content, source, tool_call_metadata: metadata, cause } = event;
  const args = objectIn(given);
  const {
    tool_call_id: callId = String(cause ?? event.id),
    function_name: name,
    model_response: response,
  } = objectIn(metadata);
  if (typeof observation === "string") {
    const isAnswer = source !== "user" && (metadata !== undefined || (cause !== undefined && seen.has(cause)));
    return isAnswer ? [resultMessage(String(callId), textIn(name) ?? observation, textOf(content))] : [];
  }
  const said = textIn(args.content) ?? "";
  if (action === "system") return said === "" ? [] : [systemMessage(said)];
  if (action === "message" && metadata === undefined)
    return source === "user" ? [userMessage(said)] : assistantMessages([textPart(said)]);
  if (source !== "agent" || action === "change_agent_state" || action === "recall") return [];
  seen.add(event.id);
  const { id, model, usage, choices } = objectIn(response);
  const message = objectIn(objectsIn(choices)[0]?.message);
  const call = objectsIn(message.tool_calls).find((one) => one.id === callId);
  const { thought: own, ...others } = args;
  const thought = textIn(message.content) ?? textOf(own);
  const input = parseArguments(String(objectIn(call?.function).arguments ?? ""));
  // All calls of a reply have the whole of it.
  const isFirst = id === undefined || !seen.has(id);
  seen.add(id);
  const facts: ReplyFacts = isFirst
    ? { id: textIn(id), model: textIn(model), usage: usageOf(usage) }
    : { id: textIn(id) };
  const reasoning = textIn(message.reasoning_content);
  const parts = [
    ...(isFirst && reasoning !== undefined ? [reasoningPart(reasoning)] : []),
    ...(isFirst && thought !== "" ? [textPart(thought)] : []),
    callPart(String(callId), textIn(name) ?? String(action), call === undefined ? others : input),
  ];
  return assistantMessages(parts).map((one) => ({ ...one, ...facts }));
}

/** The messages of an event of the SDK. */
function messagesOfSDK(event: PlainObject): RecordedMessage[] {
  const { llm_message: given, system_prompt: prompt, tool_name: name, tool_call_id: callId, observation } = event;
  const facts: ReplyFacts = { id: textIn(event.llm_response_id) };
  if (prompt !== undefined) return [systemMessage(textOf([prompt]))];
  if (isPlainObject(given)) {
    const parts = [given.content ?? [], event.extended_content ?? []].flat();
    const said = textOf(parts);
    return given.role === "assistant"
      ? spoken(said, given, []).map((one) => ({ ...one, ...facts }))
      : [userMessage(said)];
  }
  if (typeof callId !== "string") return [];
  if ("tool_call" in event) {
    const { arguments: args = objectIn(objectIn(event.tool_call).function).arguments } = objectIn(event.tool_call);
    const call = callPart(callId, String(name), typeof args === "string" ? parseArguments(args) : (args ?? {}));
    return spoken(textOf(event.thought), event, [call]).map((one) => ({ ...one, ...facts }));
  }
  const { content, output, text: own, kind: _, ...data } = objectIn(observation);
  const result =
    observation === undefined
      ? (event.error ?? `Action rejected: ${String(event.rejection_reason)}`)
      : (content ?? output ?? own ?? data);
  return [resultMessage(callId, String(name), textOf(result))];
}

function spoken(
  said: string,
  { reasoning_content: reasoning, thinking_blocks: blocks }: PlainObject,
  calls: PlainObject[],
): RecordedMessage[] {
  const thought =
    textIn(reasoning) ??
    objectsIn(blocks)
      .map(({ thinking }) => textIn(thinking) ?? "")
      .join("\n");
  return assistantMessages([
    ...(thought === "" ? [] : [reasoningPart(thought)]),
    ...(said === "" ? [] : [textPart(said)]),
    ...calls,
  ]);
}

/** The usage and the models of replies by their ids, from the metrics of a run or of the events with its state. */
function usagesIn(holders: readonly PlainObject[]): Map<unknown, ReplyFacts> {
  const metrics = holders.flatMap((holder) => [
    holder.metrics,
    holder.llm_metrics,
    ...statsIn(holder.value),
    ...statsIn(holder.stats),
  ]);
  const usages = metrics.flatMap((given) => objectsIn(objectIn(given).token_usages));
  return new Map(usages.map((one) => [one.response_id, { usage: usageOfMetrics(one), model: textIn(one.model) }]));
}

const statsIn = (given: unknown): unknown[] =>
  Object.values(objectIn(objectIn(given).usage_to_metrics ?? objectIn(objectIn(given).stats).usage_to_metrics));

function usageOfMetrics(usage: PlainObject): RecordedUsage | undefined {
  const [input, read, written] = [usage.prompt_tokens, usage.cache_read_tokens, usage.cache_write_tokens].map((count) =>
    Number(count ?? 0),
  ) as [number, number, number];
  return usageOfCounts({
    fresh: Math.max(0, input - read - written),
    read,
    written,
    output: usage.completion_tokens,
    reasoning: usage.reasoning_tokens,
  });
}
