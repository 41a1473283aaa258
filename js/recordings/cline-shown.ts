import type { PlainObject } from "../formats/data.ts";
import { BlockReader } from "./blocks.ts";
import { type RecordedUsage, type ReplyFacts, usageOfCounts } from "./recorded-chat.ts";
import type { RecordedMessage } from "./recorded-message.ts";

/** The head of the text of a result. */
export const RESULT: RegExp = /^\[(\w+)(?: for [^\n]*)?\] Result:\s*/;

/**
 * Reads `ui_messages.json` of Cline, Roo Code or Kilo Code: the requests with their usage, texts and calls, and results as far as they were shown.
 */
export function fromShown(list: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  const messages: RecordedMessage[] = [];
  let facts: ReplyFacts | null = null;
  let asked: string[] = [];
  let open: string | null = null;
  let outputs: string[] = [];
  const reply = (block: PlainObject) => {
    messages.push(...reader.messages("assistant", [block], { ...facts }));
    facts = { model: facts?.model };
  };
  for (const { ts: at, partial, say, ask: kind = say, text, modelInfo } of list) {
    if (partial === true || typeof text !== "string") continue;
    const given = parsed(text);
    const call = (name: string, input: unknown) => {
      open = `call_${messages.length}`;
      reply({ type: "tool_use", id: open, name, input });
    };
    switch (kind) {
      case "api_req_started": {
        const sent = typeof given.request === "string" ? given.request : asked.join("\n\n");
        if (open !== null) messages.push(reader.result(open, outputs.join("\n") || sent.replace(RESULT, ""), at));
        const said = open === null || outputs.length > 0 ? sent.replace(RESULT, "") : "";
        messages.push(...reader.messages("user", said, { at }));
        [asked, outputs, open] = [[], [], null];
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
        if (isFound) outputs.push(String(content ?? ""));
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
        outputs.push(text);
    }
  }
  return messages;
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
