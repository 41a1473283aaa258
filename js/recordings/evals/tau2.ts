import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { recordedMessages } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type ReplyFacts, usageOf, withCost } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage, systemMessage } from "../reading/recorded-message.ts";
import { objectIn } from "../reading/values.ts";

/** Reads results of tau2-bench: each simulation is a chat of the agent, without the calls of the simulated user. */
export const tau2Reader: RecordingReader = {
  format: "tau2",
  recognizes: (given) =>
    simulationsIn(given).some(({ messages, task_id: id }) => Array.isArray(messages) && id !== undefined),
  read: (results: PlainObject) => {
    const { info } = results;
    const { agent_info: agent, environment_info: environment } = objectIn(info);
    const { policy } = objectIn(environment);
    const { llm } = objectIn(agent);
    const chats = simulationsIn(results).map(({ task_id: task, policy: own = policy, messages }) => {
      const prompt = typeof own === "string" ? [systemMessage(own)] : [];
      const facts = (message: PlainObject) => factsOf(message, typeof llm === "string" ? llm : undefined);
      return chatOfMessages([...prompt, ...fromSimulation(objectsIn(messages), facts)], { title: String(task) });
    });
    return chats.filter((chat) => chat !== null);
  },
};

/** The simulations of results, or one that stands in a file of its own. */
const simulationsIn = (given: unknown): PlainObject[] =>
  objectsIn(isPlainObject(given) && "termination_reason" in given ? [given] : objectIn(given).simulations);

function fromSimulation(
  messages: readonly PlainObject[],
  factsOf: (message: PlainObject) => ReplyFacts,
): RecordedMessage[] {
  const ofAgent = messages
    .flatMap((message) => (Array.isArray(message.tool_messages) ? objectsIn(message.tool_messages) : [message]))
    .filter(({ requestor }) => requestor !== "user")
    .map(({ tool_calls: calls, ...message }) =>
      message.role === "assistant" ? { ...message, tool_calls: calls } : message,
    );
  return recordedMessages(ofAgent, factsOf);
}

/** What a reply says of itself. The greeting, which no model wrote, has neither usage nor cost. */
function factsOf({ usage, cost, timestamp, raw_data: raw }: PlainObject, model: string | undefined): ReplyFacts {
  const counts = usageOf(objectIn(raw).usage) ?? usageOf(usage);
  const isGreeting = counts === undefined && !cost;
  return { model, at: timestamp, usage: withCost(counts, cost), ...(isGreeting ? { isRepeated: true } : {}) };
}
