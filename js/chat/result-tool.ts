import { call, send } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import { describe } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { Conversation, messagesOf } from "./conversation.ts";
import { jsonText } from "./message-json.ts";
import { outputText, type PairedCall, type PairedResult, partsOf, toolPairs } from "./tool-pairs.ts";

/** The tool that returns earlier results to a model; see {@link resultTool}. */
export interface ResultTool extends ToolDefinition {
  /** How often it has returned a result. */
  readonly uses: number;
  run(args: { id: string }): string;
}

/**
 * The name under which the tool is offered to a model; the texts of a digest name it.
 *
 * @internal
 */
export const RESULT_TOOL_NAME = "recall";

/**
 * Makes the tool `recall({ id })` of `digest({ handles: true })`, which returns the whole result for a handle.
 * {@link Agent} offers it automatically; a host with its own loop offers it as `recall`.
 *
 * @param messages the whole history, with the results that were folded: a conversation or messages, or a function that returns them.
 *
 * @example
 * ```ts
 * const history: ChatMessage[] = [];
 * const tools: Tools = { recall: resultTool(() => history) };
 * const parameters: RequestParameters = { compressionStrategy: digest({ handles: true }) };
 * ```
 * @throws {TurnfoldError} `invalid_argument` for other arguments; and when the tool runs, for a function that returns
 * anything else and for an id that is not a handle in the history.
 */
export function resultTool(
  messages: Conversation | readonly ChatMessage[] | (() => Conversation | readonly ChatMessage[]),
): ResultTool {
  if (typeof messages !== "function") messageList(messages);
  let uses = 0;
  const tool = {
    signature: "(id :string) -> :string",
    description: "Returns the whole result of an earlier tool call, by the id that follows # in its line.",
    run({ id }: { id: string }) {
      const text = resultText(messageList(typeof messages === "function" ? messages() : messages), id);
      uses++;
      return text;
    },
  };
  // Not enumerable, because definitions of tools have no such member.
  return Object.defineProperty(tool, "uses", { get: () => uses }) as ResultTool;
}

function messageList(given: unknown): readonly ChatMessage[] {
  if (given instanceof Conversation) return messagesOf(given);
  if (Array.isArray(given)) return given as ChatMessage[];
  throw new TurnfoldError("invalid_argument", `resultTool takes messages, got ${describe(given)}`, {
    hint: "resultTool(() => history)",
  });
}

function resultText(messages: readonly ChatMessage[], id: unknown): string {
  const handle = String(id).trim().replace(/^#/, "").toLowerCase();
  const found = resultHandles(messages).filter((entry) => entry.handle === handle);
  if (found.length === 0) {
    const problem = `there is no result ${JSON.stringify(id)}; ids follow # in the lines of earlier tool calls`;
    throw new TurnfoldError("invalid_argument", problem);
  }
  const texts = found.map(({ result: { messageIndex, partIndex } }) => {
    const message = messages[messageIndex] as ChatMessage;
    if (partIndex === null) return `${outcomeNote(message)}${outputText(message.content)}`;
    const { output, result } = partsOf(message)[partIndex] as { output?: unknown; result?: unknown };
    return `${outcomeNote(output)}${outputText(output ?? result)}`;
  });
  if (texts.length === 1) return texts[0] as string;
  // Some models use an id again, and the handle does not say which of the calls is meant.
  const listed = found.map(
    ({ result: { call } }, index) => `${index + 1}. ${callText(messages, call)}:\n${texts[index]}`,
  );
  return `${texts.length} calls have this id. Their results, the oldest first:\n\n${listed.join("\n\n")}`;
}

/** Returns the note before a result that says whether the tool failed or a person refused the call. */
function outcomeNote(outcome: unknown): string {
  const { type, isError, isDenied } = Object(outcome) as { type?: unknown; isError?: unknown; isDenied?: unknown };
  if (isDenied === true || type === "execution-denied") return "(denied) ";
  return isError === true || type === "error-text" || type === "error-json" ? "(it failed) " : "";
}

/** Writes a call as `name({"argument": "value"})`. */
function callText(messages: readonly ChatMessage[], call: PairedCall | null): string {
  if (call === null) return "";
  const message = messages[call.messageIndex] as ChatMessage;
  const part = partsOf(message).find(({ type, toolCallId }) => type === "tool-call" && toolCallId === call.id);
  const args =
    part === undefined ? message.toolCalls?.find(({ id }) => id === call.id)?.args : (part.input ?? part.args);
  return `${call.name}(${typeof args === "string" ? args : jsonText(args)})`;
}

/**
 * Returns the results of calls that have ids, the oldest first, with the handles of their lines.
 *
 * @internal
 */
export function resultHandles(messages: readonly ChatMessage[]): { handle: string; result: PairedResult }[] {
  const answered = toolPairs(messages).results.flat();
  return answered.flatMap((result) => {
    const { id } = result.call ?? { id: "" };
    return id === "" ? [] : [{ handle: call("chat", (wasm) => wasm.recallHandle(send(id))), result }];
  });
}
