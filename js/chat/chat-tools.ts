import { withOwnSignal } from "../boundary/abort.ts";
import { currentTime } from "../boundary/clock.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import type { LLMRequest, ModelSettings, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { inputCheck, plainSchemaOf } from "../signature/input-check.ts";
import {
  coerceArguments,
  describedSchema,
  type OwnSignature,
  problemsText,
  readToolSignature,
} from "../signature/signature.ts";
import { denialText } from "../tools/approval.ts";
import { inputSchemaOf, type ToolContext } from "../tools/foreign-tools.ts";
import { type AgentTool, agentKey, type Tools } from "../tools/tool.ts";
import { type CallableTool, callableTool, isAgent, type ListedTool, listTools } from "../tools/tools.ts";
import { describe } from "../values/describe.ts";
import { parseExactly } from "../values/exact-json.ts";
import { readable } from "../values/readable-json.ts";
import { readAnswers } from "../waiting/answers.ts";
import { isDivergence, isRecordFailure } from "../waiting/recorder.ts";
import type { OnRecord } from "../waiting/run-record.ts";
import { type Answers, isLater, type WaitingCall, Waits, waitsFor } from "../waiting/waiting-call.ts";
import type { ChatMessage } from "./chat-message.ts";
import { copyMessages, markChecked } from "./message-copy.ts";
import { decodeMessage, encodeMessage } from "./message-json.ts";
import type { OpenCall } from "./open-round.ts";

/** @internal */
export type RequestTool = NonNullable<LLMRequest["tools"]>[number];

/**
 * A tool of a chat.
 *
 * @internal
 */
interface ChatTool {
  readonly offered: RequestTool;
  /** Converts the model's arguments to those of the function. Throws when they do not match. */
  readonly fit: (args: unknown) => unknown;
  readonly callable: CallableTool;
  /** The functions of a `SubAgent`; null for any other tool. */
  readonly agent: AgentTool[typeof agentKey] | null;
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
  return { offered, fit, callable: callableTool(name, tool), agent: isAgent(tool) ? tool[agentKey] : null };
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
interface CallContext extends Omit<ToolContext, "id"> {
  callId: string;
  messages: readonly ChatMessage[];
  /** What an agent that is a tool inherits. */
  model: ModelSettings;
  /** Gets the tokens of an agent that ran as a tool. */
  onUsage: (usage: Usage) => void;
  /** Called, and awaited, before the tool. */
  begin: () => Promise<void>;
  /** Gets the records of an agent that runs as a tool. */
  onInnerRecord: OnRecord;
  /** The answers to calls of such an agent. */
  answers: Answers;
}

/** The members of the message with a result that depend on the result. */
type ResultMembers = Pick<ChatMessage, "content"> & { isError?: true; isDenied?: true };

/**
 * Calls a tool, unless an answer is the result, and returns the message with its result, or why it waits. An error becomes
 * a result, so that the model can try again; an abort too, so that every call has a result.
 *
 * @returns null for a call that goes on waiting.
 * @throws {TurnfoldError} `record_failed`, `replay_diverged`
 *
 * @internal
 */
export async function callTool(
  tools: ChatTools,
  open: OpenCall,
  { onUsage, model, begin, onInnerRecord, answers, ...given }: CallContext,
): Promise<CallOutcome | Waits | null> {
  const { answer, wait, hasBegun, inner } = open;
  const { id, name } = open.call;
  const { signal, approve } = given;
  const context: ToolContext = { ...given, id };
  const outcome = (result: ResultMembers, isInterrupted = false): CallOutcome => {
    // A result in parts has the id and the name of the call in its part.
    const about = typeof result.content === "string" ? { toolCallId: id, toolName: name } : {};
    const message = { role: "tool", ...about, ...result, timestamp: currentTime() };
    return { message: markChecked(message), isInterrupted };
  };
  if (answer === false) return outcome(denied());
  if (typeof answer === "string") return outcome(denied(answer));
  const tool = tools.get(name);
  if (answer === undefined) {
    if (wait !== null && (wait.reason !== "agent" || Object.keys(answers).length === 0)) return null;
    if (hasBegun && !(tool && isRepeatable(tool))) return new Waits({ reason: "interrupted", info: null });
  }
  let isRunning = false;
  const interruptedOutcome = () => {
    const content = `interrupted: ${isRunning ? "unknown whether it finished" : "it was not run"}`;
    return outcome({ content, isError: true }, true);
  };
  try {
    if (typeof answer === "object" && "error" in answer) throw new Error(answer.error);
    if (tool === undefined)
      throw new Error(`there is no tool ${JSON.stringify(name)}; there are: ${[...tools.keys()].join(", ")}`);
    const { callable, agent } = tool;
    const edited = typeof answer === "object" && "args" in answer ? answer.args : open.edited;
    // Copied, because a tool may change its arguments.
    const parsed = parseArguments(decodeMessage(encodeMessage(edited ?? open.call.args)));
    const args = await unlessAborted((async () => tool.fit(parsed))(), signal);
    // Another tool of the round may have aborted the call.
    if (signal?.aborted) return interruptedOutcome();
    if (typeof answer === "object" && "result" in answer) {
      const { result } = answer;
      const given = (async () =>
        resultMembers(open.call, result, await modelOutput(callable, args, result, context)))();
      const finished = await unlessAborted(given, signal);
      return finished === null ? interruptedOutcome() : outcome(finished);
    }
    if (answer === undefined && !hasBegun) {
      const undecided = await decide(callable, { id, name, args }, context);
      if (undecided === null) return interruptedOutcome();
      if (undecided instanceof Waits) return undecided;
      if (typeof undecided === "string") return outcome(denied(undecided));
    }
    await unlessAborted(begin(), signal);
    if (signal?.aborted) return interruptedOutcome();
    isRunning = true;
    const running = withOwnSignal(signal, async (own): Promise<ResultMembers | Waits> => {
      if (agent !== null) {
        const step = await agent.start(args, {
          ...(own === undefined ? {} : { signal: own }),
          llm: model.llm,
          retry: model.retry,
          approve,
          onUsage,
          run: given.callId,
          onRecord: onInnerRecord,
          ...(inner.length === 0 ? {} : { resume: { records: [...inner], answers } }),
        });
        if (step.status === "waiting") return new Waits({ reason: "agent", info: null });
        if (step.status === "failed") throw new Error(step.fail?.message ?? "it failed");
        return resultMembers(open.call, step.return, undefined);
      }
      const current = { ...context, signal: own };
      const signals = own === undefined ? {} : { signal: own, abortSignal: own };
      const options = { toolCallId: id, callId: given.callId, messages: given.messages, ...signals };
      const result = await callable.run([callable.check === null ? args : parsed], args, current, options);
      if (isLater(result)) return waitsFor(result, "later");
      return resultMembers(open.call, result, await modelOutput(callable, args, result, current));
    });
    const finished = await unlessAborted(running, signal);
    if (finished === null) return interruptedOutcome();
    return finished instanceof Waits ? finished : outcome(finished);
  } catch (error) {
    if (signal?.aborted) return interruptedOutcome();
    if (isRecordFailure(error) || (tool?.agent && isDivergence(error))) throw error;
    return outcome({ content: `Error: ${messageOf(error)}`, isError: true });
  }
}

/**
 * Asks for the approval of a call.
 *
 * @returns true, the text of a refusal, why the call waits, or null after an abort.
 */
async function decide(
  callable: CallableTool,
  call: ModelToolCall,
  context: ToolContext,
): Promise<true | string | Waits | null> {
  const { approve, signal } = context;
  if (approve === undefined) {
    const asking = withOwnSignal(signal, async (own) => ({
      asks: await callable.asks(call.args, { ...context, signal: own }),
    }));
    const decided = await unlessAborted(asking, signal);
    return decided && (decided.asks ? new Waits({ reason: "approval", info: null }) : true);
  }
  const asking = withOwnSignal(signal, async (own) => ({
    approval: (await approve(call, own === undefined ? {} : { signal: own })) as unknown,
  }));
  const decided = await unlessAborted(asking, signal);
  if (decided === null) return null;
  const { approval } = decided;
  return isLater(approval) ? waitsFor(approval, "approval") : (denialText(call.name, approval) ?? true);
}

const denied = (content = "The call was not approved."): ResultMembers => ({ content, isDenied: true });

/**
 * True for a tool of which a call that had begun is made again without a decision. An agent that had begun goes on.
 *
 * @internal
 */
export const isRepeatable = ({ agent, callable }: ChatTool): boolean => agent !== null || callable.isIdempotent;

/** True when an agent can't go on, because its program would go another way. */

/**
 * The answers to calls that wait, as JSON data.
 *
 * @throws {TurnfoldError} `invalid_answer`
 *
 * @internal
 */
export async function checkChatAnswers(
  tools: ChatTools,
  given: unknown,
  waiting: readonly WaitingCall[],
): Promise<Answers> {
  const answers = JSON.parse(jsonText(await readAnswers(given, waiting)) ?? "{}") as Answers;
  for (const [id, answer] of Object.entries(answers)) {
    const call = waiting.find((each) => each.id === id) as WaitingCall;
    if (typeof answer !== "object" || !("args" in answer)) continue;
    const [root = call.tool, ...path] = call.path;
    const tool = tools.get(root);
    try {
      if (call.path.length > 0) tool?.agent?.checkArguments({ ...call, path }, answer.args);
      else await tool?.fit(answer.args);
    } catch (cause) {
      throw new TurnfoldError("invalid_answer", `the arguments for ${call.tool} (${id}): ${messageOf(cause)}`, {
        details: { id },
        cause,
      });
    }
  }
  return answers;
}

/** @throws when the tool can't say what the model reads. */
async function modelOutput(tool: CallableTool, args: unknown, result: unknown, context: ToolContext): Promise<unknown> {
  try {
    return await tool.modelOutput(args, result, context);
  } catch (cause) {
    throw new Error(`it was run, and its toModelOutput failed: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Returns the result as the model reads it.
 *
 * @param output an output of the AI SDK that the model reads instead of the result, or undefined.
 */
function resultMembers({ id, name }: ModelToolCall, result: unknown, output: unknown): ResultMembers {
  if (output === undefined) return { content: resultText(result) };
  const { type, value, reason } = Object(output) as { type?: unknown; value?: unknown; reason?: unknown };
  switch (type) {
    case "text":
    case "error-text":
      if (typeof value !== "string") break;
      return { content: value, ...(type === "text" ? {} : { isError: true }) };
    case "json":
    case "error-json":
      return { content: jsonText(value) ?? "null", ...(type === "json" ? {} : { isError: true }) };
    case "execution-denied":
      return { content: typeof reason === "string" ? reason : "The call was not approved.", isDenied: true };
    case "content": {
      const part = { type: "tool-result", toolCallId: id, toolName: name, output };
      const [message] = copyMessages([{ role: "tool", content: [part] }], "result");
      return { content: (message as ChatMessage).content };
    }
    default:
      return { content: resultText(output) };
  }
  throw new Error(`it was run, and its toModelOutput gave ${describe(value)} as its text`);
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
  const text = jsonText(result);
  if (text === undefined && result !== undefined)
    throw new Error(`the tool gave ${describe(result)}, which can't be sent`);
  return text ?? "null";
}

function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, readable);
}
