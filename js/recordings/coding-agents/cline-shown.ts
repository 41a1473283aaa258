import type { PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import { type RecordedChat, type RecordedUsage, type ReplyFacts, usageOfCounts } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage } from "../reading/recorded-message.ts";

/** The head of the text of a result. */
export const RESULT: RegExp = /^\[(\w+)(?: for [^\n]*)?\] Result:\s*/;
const HEAD = /^(?=\[\w+(?: for .*)?\] Result:)/m;

/**
 * Reads `ui_messages.json` of Cline, Roo Code or Kilo Code: the requests with their usage, texts and calls, and results as
 * far as they were shown. Where Cline leaves a range of messages out of its requests, another part begins.
 */
export function fromShown(list: readonly PlainObject[]): RecordedChat[] {
  const reader = new BlockReader();
  const histories = new Histories<RecordedMessage>();
  /** The place of each message among those that are sent; a question and its reply follow one another. */
  const places = new Map<RecordedMessage, number>();
  let place = -2;
  let left = "";
  let calls = 0;
  const add = (messages: readonly RecordedMessage[], at: number) => {
    for (const message of messages) places.set(message, at);
    histories.messages.push(...messages);
  };
  let facts: ReplyFacts | null = null;
  let asked: string[] = [];
  /** What was shown of the results of the calls since the last request, by their ids. */
  let open = new Map<string, string[]>();
  const reply = (block: PlainObject) => {
    add(reader.messages("assistant", [block], { ...facts }), place + 1);
    facts = { model: facts?.model };
  };
  for (const message of list) {
    const { ts: at, partial, say, ask: kind = say, text, conversationHistoryDeletedRange: range } = message;
    if (partial === true || typeof text !== "string") continue;
    if (Array.isArray(range) && String(range) !== left) {
      left = String(range);
      const isSent = (one: RecordedMessage) => {
        const own = places.get(one) ?? 0;
        return own < Number(range[0]) || own > Number(range[1]);
      };
      histories.restart("compacted", histories.messages.filter(isSent));
    }
    const given = parsed(text);
    const call = (name: string, input: unknown) => {
      const id = `call_${calls++}`;
      reply({ type: "tool_use", id, name, input });
      open.set(id, []);
    };
    const show = (output: string) => [...open.values()].at(-1)?.push(output);
    switch (kind) {
      case "api_req_started": {
        const { conversationHistoryIndex: last, modelInfo } = message;
        place = typeof last === "number" ? last + 1 : place + 2;
        const sent = typeof given.request === "string" ? given.request : asked.join("\n\n");
        const [said, ...details] = sent.split(/(?=<environment_details>)/);
        const results = (said ?? "").split(HEAD).filter((part) => HEAD.test(part));
        for (const [nth, [id, shown]] of [...open].entries()) {
          const result = nth < open.size - 1 ? results[nth] : results.slice(nth).join("\n");
          add([reader.result(id, (result ?? "").replace(RESULT, "").trim() || shown.join("\n"), at)], place);
        }
        const rest = open.size === 0 || results.length === 0 ? (said ?? "").replace(RESULT, "").trim() : "";
        add(reader.messages("user", [rest, ...details].filter(Boolean).join("\n\n"), { at }), place);
        asked = [];
        open = new Map();
        const { modelId } = Object(modelInfo) as PlainObject;
        facts = { at, model: typeof modelId === "string" ? modelId : undefined, usage: usageShown(given) };
        break;
      }
      case "task":
      case "user_feedback":
        asked.push(text);
        break;
      case "text":
      case "completion_result":
        if (facts === null) asked.push(text);
        else reply({ type: "text", text });
        break;
      case "reasoning":
        reply({ type: "thinking", thinking: text });
        break;
      case "followup":
      case "plan_mode_respond":
        reply({ type: "text", text: String(given.question ?? given.response ?? text) });
        break;
      case "tool": {
        const { tool, content, ...input } = given;
        const isFound = /^(?:list|search|codebaseSearch)/.test(String(tool));
        call(String(tool), isFound ? input : { ...input, content });
        if (isFound) show(String(content ?? ""));
        break;
      }
      case "command":
        call("execute_command", { command: text });
        break;
      case "use_mcp_server":
      case "browser_action":
        call(kind, given);
        break;
      case "command_output":
      case "mcp_server_response":
      case "browser_action_result":
        show(text);
    }
  }
  return histories.chats(chatOfMessages);
}

/** The usage of counts whose input contains what was cached. */
export function usageOfInput(
  input: unknown,
  read: unknown,
  written: unknown,
  output: unknown,
  dollars: unknown,
): RecordedUsage | undefined {
  const fresh = Number(input ?? 0) - Number(read ?? 0) - Number(written ?? 0);
  return usageOfCounts({ fresh: input === undefined ? input : Math.max(0, fresh), read, written, output, dollars });
}

/** The usage of a request. Newer versions of Roo Code, which name the protocol, count what was cached in the input. */
function usageShown({ tokensIn, tokensOut, cacheReads, cacheWrites, cost, apiProtocol }: PlainObject) {
  const isWithin = apiProtocol !== undefined && Number(tokensIn) >= Number(cacheReads ?? 0) + Number(cacheWrites ?? 0);
  if (isWithin) return usageOfInput(tokensIn, cacheReads, cacheWrites, tokensOut, cost);
  return usageOfCounts({ fresh: tokensIn, read: cacheReads, written: cacheWrites, output: tokensOut, dollars: cost });
}

function parsed(text: string): PlainObject {
  try {
    return Object(JSON.parse(text)) as PlainObject;
  } catch {
    return {};
  }
}
