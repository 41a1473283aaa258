import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { recordedMessages } from "../libraries/any-messages.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, type ReplyFacts, usageOf, withCost } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage } from "../reading/recorded-message.ts";
import { jsonIn, objectIn, textIn, timeFrom } from "../reading/values.ts";

/** Reads trajectories of SWE-agent, files `.traj`: each attempt is a chat. */
export const sweAgentReader: RecordingReader = {
  format: "swe-agent",
  recognizes: (given) =>
    attemptsIn(given).some(({ trajectory, history }) => Array.isArray(trajectory) && Array.isArray(history)),
  read: (run: PlainObject) => {
    const config = objectIn(jsonIn(run.replay_config));
    const model = textIn(objectIn(objectIn(config.agent).model).name);
    const chats = attemptsIn(run).map(({ history }) =>
      chatOfMessages(recordedMessages(objectsIn(history).map(plainMessage), () => ({ model }))),
    );
    return chats.filter((chat) => chat !== null);
  },
};

const attemptsIn = (given: unknown): PlainObject[] => {
  const run = objectIn(given);
  return Array.isArray(run.attempts) ? objectsIn(run.attempts) : [run];
};

/** A message of a history as OpenAI has it: the ids of calls stand in a list, thinking beside the content. */
function plainMessage({ tool_call_ids: ids, thinking_blocks: thinking, ...message }: PlainObject): PlainObject {
  const { content } = message;
  const parts = Array.isArray(content) ? content : content ? [{ type: "text", text: content }] : [];
  return {
    ...message,
    ...(Array.isArray(ids) && message.role === "tool" ? { tool_call_id: ids[0] } : {}),
    content: [...objectsIn(thinking), ...parts],
  };
}

/** Reads trajectories of mini-swe-agent. */
export const miniSweAgentReader: RecordingReader = {
  format: "mini-swe-agent",
  recognizes: (given) =>
    isPlainObject(given) && Array.isArray(given.messages) && /^mini-swe-agent/.test(String(given.trajectory_format)),
  read: ({ messages, info }: PlainObject): RecordedChat[] => {
    const model = textIn(objectIn(objectIn(objectIn(info).config).model).model_name);
    const read = (list: readonly PlainObject[]) =>
      recordedMessages(list.map(ofResponses), (message) => factsOf(message, model));
    const histories = new Histories<RecordedMessage>();
    // The last message, by which a run ends, is not sent.
    let rest = objectsIn(messages).filter(({ role }) => role !== "exit");
    while (rest.length > 0) {
      const next = rest.findIndex((message, index) => index > 0 && rejectedReply(message) !== undefined);
      const end = next < 0 ? rest.length : next;
      histories.messages.push(...read(rest.slice(0, end)));
      const rejected = rest[end] && rejectedReply(rest[end]);
      if (rejected !== undefined) {
        const before = [...histories.messages];
        histories.messages.push(...read([rejected]));
        histories.restart("rewound", before);
      }
      rest = rest.slice(end);
    }
    return histories.chats(chatOfMessages);
  },
};

/** The reply that a message of the user rejects for its form. It is billed, and no later request has it. */
function rejectedReply({ role, extra }: PlainObject): PlainObject | undefined {
  const response = objectIn(objectIn(extra).response);
  if (role !== "user" || Object.keys(response).length === 0) return undefined;
  const [choice] = objectsIn(response.choices);
  return { ...(choice === undefined ? response : objectIn(choice.message)), role: "assistant", extra };
}

function factsOf(message: PlainObject, model: string | undefined): ReplyFacts {
  const { response, cost, timestamp } = objectIn(message.extra);
  const { id, model: served, usage } = { ...message, ...objectIn(response) } as PlainObject;
  return {
    id: textIn(id),
    model: textIn(served) ?? model,
    at: timeFrom(timestamp),
    usage: withCost(usageOf(usage), cost),
  };
}

/** Makes messages of responses and results of the Responses API. */
function ofResponses(message: PlainObject): PlainObject {
  if (message.type === "function_call_output")
    return { role: "tool", tool_call_id: message.call_id, content: message.output };
  if (!Array.isArray(message.output)) return message;
  const content = objectsIn(message.output).flatMap((item) =>
    item.type === "message"
      ? objectsIn(item.content)
      : [item.type === "reasoning" ? { type: "reasoning", content: item.summary } : item],
  );
  return { ...message, role: "assistant", content };
}
