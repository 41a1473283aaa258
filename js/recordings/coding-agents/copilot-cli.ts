import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { argumentsOf } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, usageOfCounts } from "../reading/recorded-chat.ts";
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

const isEvent = (event: unknown): boolean =>
  isPlainObject(event) &&
  isPlainObject(event.data) &&
  /^(?:session\.start|user\.message|assistant\.message|tool\.execution_(?:start|complete))$/.test(String(event.type));

/** Reads `events.jsonl` of a session, and the transcripts that Copilot writes in VS Code. */
export const copilotCliReader: RecordingReader = {
  format: "copilot-cli",
  recognizes: (given) => Array.isArray(given) && given.some(isEvent),
  read: (events: unknown[]) => fromEvents(events.filter(isPlainObject)),
};

/** The history of the user's agent or of a sub-agent. */
interface Agent {
  histories: Histories<RecordedMessage>;
  /** The reply of the turn, whose usage may come before or after it. */
  reply: RecordedMessage | null;
  usage: PlainObject | null;
  /** The messages that there were at each event. */
  places: Map<unknown, number>;
}

function fromEvents(events: readonly PlainObject[]): RecordedChat[] {
  const agents = new Map<unknown, Agent>();
  const names = new Map<unknown, string>();
  const titles = new Map<unknown, string>();
  let model: string | undefined;
  for (const event of events) {
    const { type, id, timestamp: at, agentId } = event;
    const { usage = event.data } = Object(event.data) as PlainObject;
    const data = Object(type === "session.usage_record" ? usage : event.data) as PlainObject;
    const key = agentId ?? data.parentToolCallId;
    const agent = agents.get(key) ?? {
      histories: new Histories<RecordedMessage>(),
      reply: null,
      usage: null,
      places: new Map(),
    };
    agents.set(key, agent);
    const { messages } = agent.histories;
    const { newModel, selectedModel = newModel, content, toolCallId, toolName } = data;
    switch (type) {
      case "session.start":
      case "session.model_change":
        if (typeof selectedModel === "string") model = selectedModel;
        break;
      case "subagent.started":
        titles.set(toolCallId, textOf(data.agentDisplayName ?? data.agentName));
        break;
      case "system.message":
        messages.push(systemMessage(textOf(content), at));
        break;
      case "user.message":
        messages.push(userMessage(textOf(data.transformedContent ?? content), at));
        break;
      case "assistant.turn_start":
        [agent.reply, agent.usage] = [null, null];
        break;
      // The same, which older versions did not write into the file.
      case "session.usage_record":
      case "assistant.usage":
        agent.usage = data;
        break;
      case "assistant.message": {
        const requests = Array.isArray(data.toolRequests) ? data.toolRequests.filter(isPlainObject) : [];
        for (const request of requests) names.set(request.toolCallId, String(request.name));
        const parts = [
          ...(typeof data.reasoningText === "string" ? [reasoningPart(data.reasoningText)] : []),
          ...(content === "" || content === undefined ? [] : [textPart(textOf(content))]),
          ...requests.map((one) => callPart(String(one.toolCallId), String(one.name), argumentsOf(one.arguments))),
        ];
        const [reply = null] = assistantMessages(parts, at);
        agent.reply = reply;
        if (reply === null) break;
        reply.model = typeof data.model === "string" ? data.model : model;
        messages.push(reply);
        break;
      }
      case "tool.execution_start":
        names.set(toolCallId, String(toolName));
        break;
      case "tool.execution_complete": {
        const { content: output } = Object(data.result) as PlainObject;
        const { message } = Object(data.error) as PlainObject;
        const tool = names.get(toolCallId);
        if (tool !== undefined) messages.push(resultMessage(String(toolCallId), tool, textOf(output ?? message), at));
        break;
      }
      case "session.compaction_complete":
        if (typeof data.summaryContent !== "string") break;
        agent.histories.restart("compacted", [
          ...messages.filter(({ message }) => message.role === "system"),
          userMessage(data.summaryContent, at),
        ]);
        break;
      case "session.snapshot_rewind":
        agent.histories.restart("rewound", messages.slice(0, agent.places.get(data.upToEventId) ?? messages.length));
    }
    if (agent.reply !== null && agent.usage !== null) {
      addUsage(agent.reply, agent.usage);
      [agent.reply, agent.usage] = [null, null];
    }
    agent.places.set(id, agent.histories.messages.length);
  }
  return [...agents].flatMap(([key, { histories }]) => {
    const title = titles.get(key);
    return histories.chats(chatOfMessages, {
      kind: key === undefined ? "chat" : "agent",
      ...(key === undefined || title === undefined ? {} : { title }),
    });
  });
}

function addUsage(reply: RecordedMessage, usage: PlainObject): void {
  const {
    model,
    apiCallId: id,
    inputTokens,
    outputTokens,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    reasoningTokens,
  } = usage;
  const fresh = Number(inputTokens) - Number(read ?? 0) - Number(written ?? 0);
  if (typeof model === "string") reply.model = model;
  if (typeof id === "string") reply.id = id;
  reply.usage = usageOfCounts({
    fresh: Math.max(0, fresh),
    read,
    written,
    output: outputTokens,
    reasoning: reasoningTokens,
  });
}
