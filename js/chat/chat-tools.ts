import { withOwnSignal } from "../boundary/abort.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import type { LLMRequest, ModelToolCall } from "../model/model.ts";
import { type ListedTool, listTools, type ToolFunction, type Tools, toolFunction } from "../sandbox/tools.ts";
import { jsonSchemaOf } from "../signature/json-schema.ts";
import { type OwnSignature, readSignature } from "../signature/signature.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";

type OfferedTool = NonNullable<LLMRequest["tools"]>[number];

/** A tool of a chat. */
interface ChatTool {
  readonly offered: OfferedTool;
  readonly signature: OwnSignature | undefined;
  readonly run: ToolFunction;
}

/** The tools of a chat by name. */
export type ChatTools = ReadonlyMap<string, ChatTool>;

/**
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`
 *
 * @internal
 */
export function checkChatTools(tools: Tools): ChatTools {
  return new Map(listTools(tools).map((listed) => [listed.name, chatTool(listed, tools[listed.name])]));
}

function chatTool({ name, signature: text, description }: ListedTool, tool: unknown): ChatTool {
  const signature = text === undefined ? undefined : readSignature(text);
  const own = ownSchema(tool);
  const schema = own ?? signature?.jsonSchema("input") ?? { type: "object" };
  const offered = { name, ...(description === undefined ? {} : { description }), schema };
  // A tool with its own schema has a signature only for listing.
  return { offered, signature: own === undefined ? signature : undefined, run: toolFunction(name, tool) };
}

/** The input schema of a tool of the AI SDK. */
function ownSchema(tool: unknown): unknown {
  if (typeof tool !== "object" || tool === null) return undefined;
  const { inputSchema, parameters } = tool as { inputSchema?: unknown; parameters?: unknown };
  try {
    const schema = jsonSchemaOf(inputSchema ?? parameters);
    return schema !== undefined && isPlain(schema) ? schema : undefined;
  } catch {
    // The tool can be called without its schema.
    return undefined;
  }
}

/**
 * Calls a tool and returns the message with its result. An error becomes a result too, so that the model can try again.
 *
 * @returns null when the signal aborted.
 *
 * @internal
 */
export async function answerCall(
  tools: ChatTools,
  call: ModelToolCall,
  messages: readonly ChatMessage[],
  signal: AbortSignal | undefined,
): Promise<ChatMessage | null> {
  const { id, name } = call;
  const about = { role: "tool", toolCallId: id, toolName: name };
  try {
    const tool = tools.get(name);
    if (tool === undefined)
      throw new Error(`there is no tool ${JSON.stringify(name)}; there are: ${[...tools.keys()].join(", ")}`);
    const args = fitArguments(tool, call.args);
    const running = withOwnSignal(signal, async (own) => {
      const extra = { toolCallId: id, messages, ...(own === undefined ? {} : { signal: own, abortSignal: own }) };
      return { result: await tool.run(args, extra) };
    });
    const finished = await unlessAborted(running, signal);
    return finished === null ? null : { ...about, content: resultText(finished.result), timestamp: Date.now() };
  } catch (error) {
    if (signal?.aborted) return null;
    return { ...about, content: `Error: ${messageOf(error)}`, isError: true, timestamp: Date.now() };
  }
}

function fitArguments({ signature }: ChatTool, args: unknown): unknown {
  const given = typeof args === "string" ? parsed(args) : (args ?? {});
  return signature === undefined ? given : signature.coerce(given, "input").value;
}

/** Providers return arguments as text, and not every callback parses them. */
function parsed(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new TurnfoldError("validation_error", `the arguments are not JSON: ${text.slice(0, 200)}`);
  }
}

function resultText(result: unknown): string {
  if (typeof result === "string") return result;
  const text = JSON.stringify(result, (_, item: unknown) => {
    if (typeof item === "bigint") return String(item);
    if (item instanceof Set) return [...item];
    return item instanceof Map ? Object.fromEntries(item) : item;
  });
  if (text === undefined && result !== undefined)
    throw new Error(`the tool gave ${describe(result)}, which can't be sent`);
  return text ?? "null";
}
