import { flagOption, invalidOption } from "../../boundary/options.ts";
import { Conversation, type LLM } from "../../chat.ts";
import { readMember } from "../../model/error-chain.ts";
import { HistoryManager, restoreHostMessages, thinkingIn } from "../shared/history-manager.ts";
import { checkHistoryOptions, type HistoryOptions } from "../shared/history-options.ts";
import { offeredTools, schemaOf } from "../shared/offered-tools.ts";
import { checkClasses, fromMessages, type MessageClasses, toMessages } from "./messages.ts";
import { type LangChainModel, langchainModel, usageIn } from "./model.ts";

/** Options of {@link turnfoldMiddleware}: how histories are managed, and with which model. */
export interface MiddlewareOptions extends Omit<HistoryOptions, "llm"> {
  /** The model that writes the summaries: a callback, or a chat model of LangChain. Default the model of the request. */
  llm?: LLM | LangChainModel | undefined;
  /**
   * Whether the managed messages replace those of the agent's state, including its checkpoints, after each call of the
   * model. Otherwise only requests are managed, and the state keeps every message. Default false.
   */
  persist?: boolean | undefined;
  /** Classes for summaries, used when the request has no message of their type. */
  classes?: MessageClasses | undefined;
}

/** The members of a request that the middleware reads. */
export interface ModelCall {
  model: unknown;
  messages: unknown[];
  systemMessage?: unknown;
  systemPrompt?: unknown;
  tools: unknown[];
  responseFormat?: unknown;
  runtime: { signal?: AbortSignal | undefined };
}

/** A middleware for `createAgent` of LangChain. */
export interface TurnfoldMiddleware {
  readonly "~middlewareTypes"?: {
    Schema: undefined;
    ContextSchema: undefined;
    FullContext: unknown;
    Tools: readonly [];
    StreamTransformers: readonly [];
  };
  name: string;
  wrapModelCall<Request extends ModelCall, Reply>(
    request: Request,
    handler: (request: Request) => Reply | Promise<Reply>,
  ): Promise<Reply>;
  afterModel?<State extends { messages: unknown[] }>(state: State): { messages: State["messages"] } | undefined;
}

/** The managed messages of a request, for the state. */
interface ManagedState {
  before: readonly unknown[];
  after: readonly unknown[];
}

/** Placed before messages, it makes them replace all messages of a state. */
const REMOVE_ALL = { type: "remove", id: "__remove_all__" };

/** Keeps the tokens of summaries out of the agent's stream of messages, and names them in traces, as LangChain's own middleware does. */
const SUMMARY_CALL_OPTIONS = { tags: ["nostream"], metadata: { lc_source: "summarization" } };

/**
 * Makes a middleware for `createAgent` that manages the history of each request to the model with the parameters of
 * `manageHistory`. It replaces `summarizationMiddleware` and `contextEditingMiddleware`. System prompt, tools and
 * schema count in the limits.
 *
 * Place it first in the list: then it manages the messages of the state, and messages that other middleware adds to a
 * request are never summarized.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`. The agent rejects with errors of
 * `manageHistory`, which LangChain wraps: the `TurnfoldError` is their `cause`.
 *
 * @example
 * ```ts
 * const agent = createAgent({
 *   model,
 *   tools,
 *   middleware: [turnfoldMiddleware({ compressionStrategy: lastNMessages(20), maxTokens: 50_000 })],
 * });
 * ```
 */
export function turnfoldMiddleware(options: MiddlewareOptions): TurnfoldMiddleware {
  const checks = { persist: flagOption(false), classes: checkClasses };
  const { persist, classes, ...checked } = checkHistoryOptions(options, checkModel, checks);
  const manager = new HistoryManager(checked);
  /** Keyed by the last message of a request, which the states of concurrent runs do not share. */
  const managedBy = new WeakMap<object, ManagedState>();

  const wrapModelCall: TurnfoldMiddleware["wrapModelCall"] = async (request, handler) => {
    const { messages, tools, responseFormat, runtime } = request;
    const prompt = promptOf(request);
    const all = prompt === null ? messages : [prompt, ...messages];
    const { messages: read } = fromMessages(all);
    const count = all.length - messages.length;
    const history = read.slice(count);
    const managing = await manager.manage(history, {
      system: read.slice(0, count),
      llm: callbackOf(request.model),
      tools: offeredTools(tools),
      schema: schemaOf(readMember(responseFormat, "schema") ?? responseFormat),
      thinking: thinkingIn(request.model),
      signal: runtime.signal,
    });
    const send = async (sent: typeof request) => {
      const reply = await handler(sent);
      const { usage, model } = usageIn(reply);
      managing.learn(usage, model);
      return reply;
    };
    if (!managing.isChanged) return send(request);
    const managed = restoreHostMessages(
      history,
      managing,
      (index) => [messages[index]],
      (message) => toMessages(new Conversation({ messages: [message] }), classes, all),
    );
    const last = messages.at(-1);
    if (persist && managing.isComplete && isObject(last)) managedBy.set(last, { before: messages, after: managed });
    return send({ ...request, messages: managed });
  };

  if (!persist) return { name: "TurnfoldMiddleware", wrapModelCall };
  return {
    name: "TurnfoldMiddleware",
    wrapModelCall,
    afterModel({ messages }) {
      for (let count = messages.length; count > 0; count--) {
        const last = messages[count - 1];
        const managed = isObject(last) ? managedBy.get(last) : undefined;
        if (managed === undefined) continue;
        const { before, after } = managed;
        // Messages that another middleware hid from the request or added to it must not change the state.
        const isSame = before.length === count && before.every((message, index) => message === messages[index]);
        return isSame ? { messages: [REMOVE_ALL, ...after, ...messages.slice(count)] } : undefined;
      }
      return undefined;
    },
  };
}

/** Returns a callback, also for a chat model. */
function checkModel(given: unknown): LLM | undefined {
  if (given === undefined || typeof given === "function") return given as LLM | undefined;
  const made = callbackOf(given);
  if (made !== undefined) return made;
  throw invalidOption("llm", "a callback or a chat model of LangChain", given);
}

/** Returns the callback of a chat model; undefined for a value that is not one. */
function callbackOf(model: unknown): LLM | undefined {
  return isModel(model) ? langchainModel(model, SUMMARY_CALL_OPTIONS) : undefined;
}

function isModel(given: unknown): given is LangChainModel {
  return typeof readMember(given, "invoke") === "function" && typeof readMember(given, "stream") === "function";
}

/** Returns the system prompt as a message; null when there is none. Older versions of LangChain have a text. */
function promptOf({ systemMessage, systemPrompt }: ModelCall): unknown {
  const content = readMember(systemMessage, "content");
  if (typeof content === "string" ? content !== "" : Array.isArray(content) && content.length > 0) return systemMessage;
  const isText = content === undefined && typeof systemPrompt === "string" && systemPrompt !== "";
  return isText ? { role: "system", content: systemPrompt } : null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
