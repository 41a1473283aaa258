import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, usageOf } from "../reading/recorded-chat.ts";
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

/** The types of messages of a model, and of events of agents. */
const TYPES =
  /^(?:(?:User|System|Assistant|FunctionExecutionResult|Text|MultiModal|Handoff|Stop)Message|ToolCall(?:Request|Execution)Event|ThoughtEvent)$/;

const isMessage = (given: unknown): boolean =>
  isPlainObject(given) && TYPES.test(String(given.type)) && typeof given.source === "string";

/** The messages of each agent in a saved state, or those of one agent; a list of events, or the result of a run. */
function listsIn(given: unknown): [name: string | undefined, messages: PlainObject[]][] {
  if (Array.isArray(given)) return given.some(isMessage) ? [[undefined, given.filter(isPlainObject)]] : [];
  if (!isPlainObject(given)) return [];
  const { agent_states: agents, agent_state: agent, llm_context: context, llm_messages: messages } = given;
  if (isPlainObject(agents))
    return Object.entries(agents).flatMap(([name, state]) => listsIn(state).map(([, list]) => [name, list] as const));
  if (isPlainObject(agent)) return listsIn(agent);
  return listsIn(Object(context).messages ?? messages ?? given.messages);
}

/** Reads saved states of AutoGen's agents and teams, and the messages of a run. */
export const autoGenReader: RecordingReader = {
  format: "autogen",
  recognizes: (given) => listsIn(given).length > 0,
  read: (given: PlainObject | PlainObject[]) =>
    listsIn(given)
      .map(([title, list]) =>
        chatOfMessages(
          list.flatMap((message, index) => fromMessage(message, list[index + 1])),
          title === undefined ? {} : { title },
        ),
      )
      .filter((chat): chat is RecordedChat => chat !== null),
};

/** Reads a message. What a model says beside calls is called a thought too, and is sent as a text. */
function fromMessage(
  { type, source, content, thought, created_at: at, ...message }: PlainObject,
  next: PlainObject | undefined,
): RecordedMessage[] {
  const facts = { at, usage: usageOf(message.models_usage) };
  const said = (parts: PlainObject[]) => assistantMessages(parts).map((one) => ({ ...one, ...facts }));
  switch (type) {
    case "UserMessage":
      return [userMessage(textOf(content), at)];
    case "SystemMessage":
      return [systemMessage(textOf(content), at)];
    case "FunctionExecutionResultMessage":
    case "ToolCallExecutionEvent":
      return objectsIn(content).map((result) =>
        resultMessage(textOf(result.call_id), textOf(result.name), textOf(result.content), at),
      );
    case "ThoughtEvent":
      return said([(next?.type === "ToolCallRequestEvent" ? textPart : reasoningPart)(textOf(content))]);
    case "AssistantMessage":
    case "ToolCallRequestEvent": {
      const calls = objectsIn(content).map(({ id, name, arguments: args }) =>
        callPart(textOf(id), textOf(name), parseArguments(textOf(args))),
      );
      const thoughts = typeof thought === "string" ? [(calls.length > 0 ? textPart : reasoningPart)(thought)] : [];
      return said([...thoughts, ...(calls.length > 0 ? calls : [textPart(textOf(content))])]);
    }
    case "TextMessage":
    case "MultiModalMessage":
    case "HandoffMessage":
    case "StopMessage":
      return source === "user" ? [userMessage(textOf(content), at)] : said([textPart(textOf(content))]);
    default:
      return [];
  }
}
