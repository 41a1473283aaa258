import { functionOption, invalidOption } from "../../boundary/options.ts";
import { Conversation, type LLM } from "../../chat.ts";
import { isPlainObject } from "../../formats/data.ts";
import { readMember } from "../../model/error-chain.ts";
import { type AISDKModel, aiSdkModel } from "../../models/ai-sdk-model.ts";
import type { AISDKMessageLike } from "../ai-sdk/framework.ts";
import { readMessages, writeMessages } from "../ai-sdk/messages.ts";
import { HistoryManager, type SentContext, thinkingIn } from "../shared/history-manager.ts";
import { checkHistoryOptions, type HistoryOptions } from "../shared/history-options.ts";
import { offeredTools, schemaOf } from "../shared/offered-tools.ts";
import { ownMembersOf } from "./prompt.ts";
import { fromMastra } from "./read-messages.ts";
import type { MastraMessage } from "./types.ts";
import { toMastra } from "./write-messages.ts";

/** Options of {@link turnfoldProcessor}: how histories are managed, and with which model. */
export interface ProcessorOptions extends HistoryOptions {
  /** The id of the processor, unique within an agent. Default `turnfold`. */
  id?: string | undefined;
}

/** The members of a step that the processor reads. */
export interface MastraStep {
  messages: MastraMessage[];
  messageList: MastraMessageList;
  systemMessages: unknown[];
  model: unknown;
  tools?: unknown;
  activeTools?: string[];
  structuredOutput?: unknown;
  providerOptions?: unknown;
  state: Record<string, unknown>;
  llmRequestStage?: boolean;
  abortSignal?: AbortSignal;
}

/** The methods of a list of messages that the processor uses. */
export interface MastraMessageList {
  makeMessageSourceChecker(): { memory: ReadonlySet<string> };
  removeByIds(ids: string[]): unknown;
  add(messages: never, source: never, options?: never): unknown;
}

/** The members of a request to a model that the processor reads. */
export interface MastraRequest<Prompt> {
  prompt: Prompt;
  model: unknown;
  state: Record<string, unknown>;
  abortSignal?: AbortSignal;
}

/** An input processor for agents of Mastra. */
export interface TurnfoldProcessor {
  readonly id: string;
  readonly name: string;
  processInputStep(step: MastraStep): Promise<void>;
  processLLMRequest<Prompt extends readonly unknown[]>(
    request: MastraRequest<Prompt>,
  ): Promise<{ prompt: Prompt } | undefined>;
}

/** The member of a request's state with the tools and the schema that are sent with its prompts. */
const REQUEST_CONTEXT_KEY = "turnfold";

/**
 * Makes an input processor for agents of Mastra that manages the history of each request to the model with the
 * parameters of `manageHistory`. It changes only what is sent: memory and the messages of the agent keep everything.
 * Tools and schema count in the limits.
 *
 * Place it last in `inputProcessors`, so that it counts the messages that the model receives.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`. The agent rejects with errors of `manageHistory`.
 *
 * @example
 * ```ts
 * const agent = new Agent({
 *   id: "support",
 *   name: "Support",
 *   instructions: "You help customers.",
 *   model,
 *   inputProcessors: [turnfoldProcessor({ compressionStrategy: lastNMessages(20), maxTokens: 50_000 })],
 * });
 * ```
 */
export function turnfoldProcessor(options: ProcessorOptions): TurnfoldProcessor {
  const llm = functionOption<LLM>("aiSdkModel(model) makes one of a model of the AI SDK");
  const { id, ...checked } = checkHistoryOptions(options, llm, { id: checkId });
  const manager = new HistoryManager(checked);
  return {
    id,
    name: "Turnfold",
    async processInputStep(step) {
      const { structuredOutput, state, llmRequestStage, abortSignal: signal } = step;
      const requestContext = {
        tools: offeredTools(activeTools(step)),
        schema: schemaOf(readMember(structuredOutput, "schema")),
        thinking: thinkingIn(readMember(step.providerOptions, "anthropic")),
      };
      state[REQUEST_CONTEXT_KEY] = requestContext;
      if (llmRequestStage === true) return;
      await manageStoredMessages(manager, step, { llm: modelCallback(step.model), ...requestContext, signal });
    },
    async processLLMRequest({ prompt, model, state, abortSignal: signal }) {
      const requestContext = isPlainObject(state[REQUEST_CONTEXT_KEY]) ? state[REQUEST_CONTEXT_KEY] : {};
      const messages = prompt as unknown as readonly AISDKMessageLike[];
      const history = readMessages(manager, messages, ownMembersOf);
      const managed = await manager.manage(history, { llm: modelCallback(model), ...requestContext, signal });
      return managed.isChanged ? { prompt: writeMessages(messages, history, managed, true) as never } : undefined;
    },
  };
}

/**
 * Manages the messages of the agent when the prompt can't be changed: with models of version 1 and in workflows. Mastra
 * stores the messages that an agent adds, so only those from its memory are replaced; the others count in the limits.
 */
async function manageStoredMessages(
  manager: HistoryManager,
  { messages, messageList, systemMessages }: MastraStep,
  sending: SentContext,
): Promise<void> {
  const { memory } = messageList.makeMessageSourceChecker();
  const remembered = messages.filter((message) => memory.has(message.id));
  if (remembered.length === 0) return;
  const others = fromMastra(messages.filter((message) => !memory.has(message.id)));
  const system = systemMessages.flatMap((message) => {
    const content = readMember(message, "content");
    return typeof content === "string" ? [{ role: "system", content }] : [];
  });
  const { messages: history } = fromMastra(remembered);
  const managed = await manager.manage(history, { ...sending, system, request: others.messages });
  if (!managed.isChanged) return;
  const written = toMastra(new Conversation({ messages: managed.messages })) as MastraMessage[];
  const changed = written.filter((message) => !remembered.includes(message));
  const gone = remembered.filter((message) => !written.includes(message));
  messageList.removeByIds(gone.map((message) => message.id));
  for (const message of changed) {
    // Messages added as context are not stored.
    messageList.add(message as never, "context" as never, { merge: false } as never);
  }
}

function checkId(id: unknown = "turnfold"): string {
  if (typeof id === "string" && id !== "") return id;
  throw invalidOption("id", "a text", id);
}

/** Returns the tools that the model may call in this step. */
function activeTools({ tools, activeTools: names }: MastraStep): unknown {
  if (!Array.isArray(names) || typeof tools !== "object" || tools === null) return tools;
  return Object.fromEntries(Object.entries(tools).filter(([name]) => names.includes(name)));
}

/** Returns a callback of the request's model; undefined when the model can't be called. */
function modelCallback(model: unknown): LLM | undefined {
  const version = readMember(model, "specificationVersion");
  const isModel = typeof readMember(model, "doStream") === "function" && ["v2", "v3", "v4"].includes(String(version));
  return isModel ? aiSdkModel(model as AISDKModel) : undefined;
}
