import type { ModelSettings } from "../agent/run.ts";
import { withOwnSignal } from "../boundary/abort.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { invalidOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import type { LLMRequest, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import {
  inputSchemaOf,
  isAgent,
  type ListedTool,
  listTools,
  type ToolFunction,
  type Tools,
  toolFunction,
} from "../sandbox/tools.ts";
import { inputCheck, plainSchemaOf } from "../signature/input-check.ts";
import {
  coerceArguments,
  describedSchema,
  type OwnSignature,
  problemsText,
  readToolSignature,
} from "../signature/signature.ts";
import { describe } from "../values/describe.ts";
import { parseExactly } from "../values/exact-json.ts";
import type { ChatMessage } from "./chat-message.ts";
import { markChecked } from "./message-copy.ts";

type RequestTool = NonNullable<LLMRequest["tools"]>[number];

/**
 * Decides whether a tool runs. Returns true, or a text that the model gets instead of a result; for false the text only
 * says that the call was not approved. When it throws or returns anything else, the tool does not run and the model
 * gets the error.
 *
 * @param call the call, with the arguments that the tool receives.
 */
export type Approve = (
  call: ModelToolCall,
  context: { signal?: AbortSignal },
) => boolean | string | Promise<boolean | string>;

/**
 * Returns `approve` if it is a function.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkApprove(approve: unknown): Approve | undefined {
  if (approve === undefined || typeof approve === "function") return approve as Approve | undefined;
  throw invalidOption(
    "approve",
    "a function",
    approve,
    'approve: async (call) => (await ask(call)) || "The user declined."',
  );
}

/**
 * A tool of a chat.
 *
 * @internal
 */
interface ChatTool {
  readonly offered: RequestTool;
  /** Converts the model's arguments to those of the function. Throws when they do not match. */
  readonly fit: (args: unknown) => unknown;
  readonly run: ToolFunction;
  /** True for a `SubAgent`. */
  readonly isAgent: boolean;
}

/**
 * The tools of a chat by name.
 *
 * @internal
 */
export type ChatTools = ReadonlyMap<string, ChatTool>;

/**
 * @param listed the tools as returned by {@link listTools}.
 * @throws {TurnfoldError} `invalid_tool`, `invalid_signature`
 *
 * @internal
 */
export function checkChatTools(tools: Tools, listed: readonly ListedTool[] = listTools(tools)): ChatTools {
  return new Map(listed.map((each) => [each.name, chatTool(each, tools[each.name])]));
}

function chatTool({ name, signature: text, description, fieldDescriptions }: ListedTool, tool: unknown): ChatTool {
  const signature = text === undefined ? undefined : readToolSignature(name, text);
  const own = inputSchema(tool);
  const json = own?.json ?? (signature && describedSchema(signature, fieldDescriptions, name));
  // Providers refuse a schema without this type, and one without properties.
  const schema = { properties: {}, ...json, type: "object" as const };
  const offered = { name, ...(description === undefined ? {} : { description }), schema };
  // A tool with its own schema has a signature only for listing.
  const check = own === undefined ? null : inputCheck(name, own.schema);
  const fit = check ?? ((args: unknown) => (own === undefined ? requireArguments(name, signature, args) : args));
  return { offered, fit, run: toolFunction(name, tool, true), isAgent: isAgent(tool) };
}

/** @throws {TurnfoldError} `validation_error`, with all problems. */
function requireArguments(name: string, signature: OwnSignature | undefined, args: unknown): unknown {
  if (signature === undefined) return args;
  const fit = coerceArguments(signature, args);
  if ("value" in fit) return fit.value;
  const problems = fit.problems.map((problem) => problemsText([problem]));
  throw new TurnfoldError("validation_error", `the arguments of ${name} do not fit: ${problems.join("; ")}`, {
    details: { tool: name, problems },
  });
}

/** The schema of a tool's input as given, and its JSON Schema if it has one. */
interface GivenSchema {
  schema: unknown;
  json: object | undefined;
}

/** The input schema of a tool of the AI SDK. */
function inputSchema(tool: unknown): GivenSchema | undefined {
  if (typeof tool !== "object" || tool === null) return undefined;
  const schema = inputSchemaOf(tool);
  return schema === undefined ? undefined : { schema, json: plainSchemaOf(schema) };
}

/** The message with the result of a call; `isInterrupted` when the signal aborted before there was one. */
interface CallOutcome {
  message: ChatMessage;
  isInterrupted: boolean;
}

/** What a tool is called with in addition to its arguments. */
interface CallContext {
  messages: readonly ChatMessage[];
  signal: AbortSignal | undefined;
  approve: Approve | undefined;
  /** What an agent that is a tool inherits. */
  model: ModelSettings;
  /** Gets the tokens of an agent that ran as a tool. */
  onUsage: (usage: Usage) => void;
}

/**
 * Calls a tool and returns the message with its result. An error becomes a result, so that the model can try again; an
 * abort too, so that every call has a result.
 *
 * @internal
 */
export async function callTool(
  tools: ChatTools,
  call: ModelToolCall,
  { messages, signal, approve, model, onUsage }: CallContext,
): Promise<CallOutcome> {
  const { id, name } = call;
  const outcome = (content: string, isError: boolean, isInterrupted: boolean): CallOutcome => {
    const about = { role: "tool", toolCallId: id, toolName: name };
    const message = { ...about, content, ...(isError ? { isError } : {}), timestamp: Date.now() };
    return { message: markChecked(message), isInterrupted };
  };
  let isRunning = false;
  const interruptedOutcome = () =>
    outcome(`interrupted: ${isRunning ? "unknown whether it finished" : "it was not run"}`, true, true);
  try {
    const tool = tools.get(name);
    if (tool === undefined)
      throw new Error(`there is no tool ${JSON.stringify(name)}; there are: ${[...tools.keys()].join(", ")}`);
    const args = await tool.fit(parseArguments(call.args));
    // Another tool of the round may have aborted the call.
    if (signal?.aborted) return interruptedOutcome();
    if (approve !== undefined) {
      const approvalRequest = withOwnSignal(signal, async (own) => {
        const context = own === undefined ? {} : { signal: own };
        return { approval: (await approve({ id, name, args }, context)) as unknown };
      });
      const decided = await unlessAborted(approvalRequest, signal);
      if (decided === null) return interruptedOutcome();
      const { approval } = decided;
      if (typeof approval === "string") return outcome(approval, false, false);
      if (approval === false) return outcome("The call was not approved.", false, false);
      if (approval !== true) {
        throw new Error(`${name} was not run: approve must return true, false or a text, got ${describe(approval)}`);
      }
      if (signal?.aborted) return interruptedOutcome();
    }
    isRunning = true;
    const running = withOwnSignal(signal, async (own) => {
      const signals = own === undefined ? {} : { signal: own, abortSignal: own };
      const forAgent = tool.isAgent ? { llm: model.llm, retry: model.retry, onUsage } : {};
      return { result: await tool.run(args, { toolCallId: id, messages, ...signals, ...forAgent }) };
    });
    const finished = await unlessAborted(running, signal);
    return finished === null ? interruptedOutcome() : outcome(resultText(finished.result), false, false);
  } catch (error) {
    if (signal?.aborted) return interruptedOutcome();
    return outcome(`Error: ${messageOf(error)}`, true, false);
  }
}

function parseArguments(args: unknown): unknown {
  return typeof args === "string" ? parseJson(args) : (args ?? {});
}

/** Providers return arguments as text, and not every callback parses them. */
function parseJson(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return parseExactly(text);
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
