import { invalidOption, membersOf } from "../../boundary/options.ts";
import { type AISDKModel, aiSdkModel, Conversation, type LLM } from "../../chat.ts";
import { isBag } from "../../formats/data.ts";
import { member } from "../../model/error-chain.ts";
import { HistoryManager, type HistoryOptions } from "../history/history-manager.ts";
import { describeTools, schemaOf } from "../history/tool-descriptions.ts";
import { fromPrompt, toPrompt } from "./prompt.ts";
import { fromMastra } from "./read-messages.ts";
import type { MastraMessage } from "./types.ts";
import { toMastra } from "./write-messages.ts";

/** Options of {@link turnfoldProcessor}: how histories are managed, and with which model. */
export interface ProcessorOptions extends HistoryOptions {
  /** The model that writes summaries. Default the model of the request. */
  llm?: LLM | undefined;
  /** The id of the processor; an agent has each id once. Default `turnfold`. */
  id?: string | undefined;
}

/** What the processor reads of a step. */
export interface MastraStep {
  messages: MastraMessage[];
  messageList: MastraMessageList;
  systemMessages: unknown[];
  model: unknown;
  tools?: unknown;
  activeTools?: string[];
  structuredOutput?: unknown;
  state: Record<string, unknown>;
  llmRequestStage?: boolean;
  abortSignal?: AbortSignal;
}

/** What the processor needs of a list of messages. */
export interface MastraMessageList {
  makeMessageSourceChecker(): { memory: ReadonlySet<string> };
  removeByIds(ids: string[]): unknown;
  add(messages: never, source: never, options?: never): unknown;
}

/** What the processor reads of a request to a model. */
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

/** The member of the state of a request that holds what is sent with its prompts. */
const BESIDE = "turnfold";

/**
 * An input processor for agents of Mastra that manages the history of each request to the model, by the parameters of
 * `manageHistory`. It changes what is sent and nothing else: memory and the messages of the agent keep everything. Tools and schema
 * count in the limits.
 *
 * Place it last in `inputProcessors`, so that it counts what the model receives.
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
  const { llm, id = "turnfold" } = membersOf(options, "the options", "write { maxTokens: 50_000 }") as ProcessorOptions;
  if (typeof id !== "string" || id === "") throw invalidOption("id", "a text", id);
  if (llm !== undefined && typeof llm !== "function") {
    throw invalidOption("llm", "a callback", llm, "aiSdkModel(model) makes one of a model of the AI SDK");
  }
  const manager = new HistoryManager(options, ["llm", "id"]);
  return {
    id,
    name: "Turnfold",
    async processInputStep(step) {
      const { structuredOutput, state, llmRequestStage, abortSignal: signal } = step;
      const beside = {
        tools: describeTools(activeTools(step), ["inputSchema", "parameters"]),
        schema: schemaOf(member(structuredOutput, "schema")),
      };
      state[BESIDE] = beside;
      if (llmRequestStage === true) return;
      await manageRemembered(manager, step, { llm: llm ?? ownCallback(step.model), ...beside, signal });
    },
    async processLLMRequest({ prompt, model, state, abortSignal: signal }) {
      const beside = isBag(state[BESIDE]) ? state[BESIDE] : {};
      const { conversation, report } = await manager.manage(fromPrompt(prompt), {
        llm: llm ?? ownCallback(model),
        ...beside,
        signal,
      });
      if (report.outcome === "unchanged" || report.outcome === "skipped") return undefined;
      return { prompt: toPrompt(conversation) as never };
    },
  };
}

/**
 * Manages the messages of the agent where no prompt can be changed: with models of version 1 and in workflows. Mastra stores what
 * an agent adds to its messages, so only those that it remembered are replaced; the others count in the limits.
 */
async function manageRemembered(
  manager: HistoryManager,
  { messages, messageList, systemMessages }: MastraStep,
  sending: Parameters<HistoryManager["manage"]>[1],
): Promise<void> {
  const { memory } = messageList.makeMessageSourceChecker();
  const remembered = messages.filter((message) => memory.has(message.id));
  if (remembered.length === 0) return;
  const others = fromMastra(messages.filter((message) => !memory.has(message.id)));
  const system = systemMessages.flatMap((message) => {
    const content = member(message, "content");
    return typeof content === "string" ? [{ role: "system", content }] : [];
  });
  const history = fromMastra(remembered);
  const conversation = new Conversation({ messages: [...system, ...history.messages] });
  const managed = await manager.manage(conversation, { ...sending, request: others.messages });
  const { outcome } = managed.report;
  if (outcome === "unchanged" || outcome === "skipped") return;
  const kept = managed.conversation.messages.filter(
    (message) => message.role !== "system" || message.summary !== undefined,
  );
  const written = toMastra(new Conversation({ messages: kept })) as MastraMessage[];
  const changed = written.filter((message) => !remembered.includes(message));
  const gone = remembered.filter((message) => !written.includes(message));
  messageList.removeByIds(gone.map((message) => message.id));
  for (const message of changed) {
    // What is in the list as context is not stored.
    messageList.add(message as never, "context" as never, { merge: false } as never);
  }
}

/** The tools that the model may call in this step. */
function activeTools({ tools, activeTools: names }: MastraStep): unknown {
  if (!Array.isArray(names) || typeof tools !== "object" || tools === null) return tools;
  return Object.fromEntries(Object.entries(tools).filter(([name]) => names.includes(name)));
}

/** The model of the request, when it can be asked. */
function ownCallback(model: unknown): LLM | undefined {
  const version = member(model, "specificationVersion");
  const isModel = typeof member(model, "doStream") === "function" && ["v2", "v3", "v4"].includes(String(version));
  return isModel ? aiSdkModel(model as AISDKModel) : undefined;
}
