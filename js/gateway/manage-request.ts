import { checkSignal } from "../boundary/abort.ts";
import { currentTime } from "../boundary/clock.ts";
import {
  anyOption,
  checkMembers,
  choiceOption,
  flagOption,
  functionOption,
  invalidOption,
  type OptionChecks,
  readOptions,
} from "../boundary/options.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { ofMessages } from "../chat/conversation.ts";
import type { Fate, TokenChange } from "../chat/history-report.ts";
import { type ManageOptions, manageChecked } from "../chat/manage-history.ts";
import { checkParameters, PARAMETER_NAMES, RENAMED_PARAMETERS, type RequestParameters } from "../chat/parameters.ts";
import { messageSizes } from "../chat/planning.ts";
import { hasSigned, withoutSigned } from "../chat/signed-thinking.ts";
import type { Managed } from "../chat/summarize.ts";
import { checkStore } from "../chat/summary-store.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { isPlainObject } from "../formats/data.ts";
import { checkLLM } from "../model/model.ts";
import { checkRetry } from "../model/retry.ts";
import type { RequestCost } from "../turns/rendered.ts";
import {
  markIn,
  mechanismOf,
  type NewPart,
  type RequestBody,
  type RequestFormat,
  readBody,
  writeBody,
} from "./request-body.ts";
import {
  entriesOf,
  hashOf,
  isUnfolded,
  type RequestState,
  restoreMessages,
  type SourcedMessage,
} from "./request-state.ts";

/** Options of {@link manageRequest}: the parameters and options of {@link manageHistory}, and these. */
export interface ManageRequestOptions
  extends RequestParameters,
    Pick<ManageOptions, "llm" | "retry" | "signal" | "onWarning" | "summaryStore"> {
  /**
   * The state that the previous request of this chat returned. Of a list, that of the chat is used, such as where
   * several chats of a session begin alike. One of another chat, or of a history that the app has edited or compacted
   * since, is not used: the history is managed anew.
   */
  state?: RequestState | null | readonly RequestState[] | undefined;
  /**
   * Whether a state may have been lost, such as that of a process which has ended. Claude's thinking in a history without
   * its state is then not sent: it may have been made for a folded one, and newer models refuse it after another
   * beginning. It is sent when nothing was folded in any of the given states. Default false.
   */
  isStateLost?: boolean | undefined;
  /** The provider's API. Default: recognized by the members of the body. */
  format?: RequestFormat | undefined;
  /** The time of the request in milliseconds since 1970. Default: now. */
  at?: number | undefined;
}

/** What {@link manageRequest} did. */
export interface RequestReport {
  /** The API whose body this is; null for one that was not understood. */
  format: RequestFormat | null;
  /** False when the body is the given one. */
  isChanged: boolean;
  /** True when this request folds, so that the provider's cache of the previous one is read up to the fold only. */
  isFolded: boolean;
  /**
   * `continued`: a given state is of this chat · `new`: there was none · `restarted`: none is, because the app has
   * edited or compacted the history, or the state is another chat's.
   */
  session: "new" | "continued" | "restarted";
  /** The index of the state that was continued, 0 for one that was no list; null for none. */
  continued: number | null;
  /** Tokens of the request before and after: instructions, tools and history. Null for a body that was not understood. */
  tokens: TokenChange | null;
  /** Why strategies did or did not run, as in {@link HistoryReport}; null without a reason. */
  reason: string | null;
  warnings: string[];
  /** What the request costs, without its reply. Null for a body that was not understood. */
  cache: RequestCost | null;
}

/** The result of {@link manageRequest}. */
export interface ManagedRequest<Body> {
  /** The body to send: JSON text if a text was given, an object if an object was given. */
  body: Body;
  /** For the next request of the chat. The given state when the body was not understood. */
  state: RequestState | null;
  report: RequestReport;
}

/**
 * Manages the history in the body of a request to Anthropic's Messages, OpenAI's Chat Completions or its Responses, for
 * gateways, proxies and Workers in front of apps. The app gives the whole history with each request; by the `state` of
 * the previous one, the next has the same folds, so that its beginning is what the provider has cached.
 *
 * - Everything but the history is as it was given. So is each message that no strategy changes: in a body that is a
 *   text, its text is copied. A body in which nothing changes is returned as it is.
 * - Marks for the provider's cache (`cache_control`) stay where they are. That of a message which was replaced is at the
 *   end of what replaced it; that of one that was dropped is dropped.
 * - A body of another shape, and one whose history is on the server (`previous_response_id`, `conversation`), is
 *   returned as it is, with a warning in the report.
 * - Default prices are those of the API; of Anthropic's, by the marks in the body.
 *
 * @example
 * ```ts
 * import { digest, manageRequest } from "turnfold/gateway";
 *
 * const given = '{"model": "gpt-5.6", "messages": [{"role": "user", "content": "Where is my order?"}]}';
 * const { body, state, report } = await manageRequest(given, { compressionStrategy: digest() });
 * console.log(body === given, report.tokens);
 * // With the next request of the chat:
 * await manageRequest(given, { compressionStrategy: digest(), state });
 * ```
 * @throws {TurnfoldError} as {@link manageHistory}: for options, limits that can't be met and summaries that fail, not
 * for the body.
 */
export async function manageRequest<Body>(
  body: Body,
  options: ManageRequestOptions = {},
): Promise<ManagedRequest<Body>> {
  const { states, isGiven, isStateLost, format, at, parameters, more } = readRequestOptions(options);
  const read = readBody(body, format);
  if ("reason" in read) {
    checkParameters(parameters);
    return unmanaged(body, states, isGiven, read.reason);
  }
  const found = findState(states, read);
  const state = found?.state ?? null;
  const isRepeated = state !== null && state.size === read.items.length && state.sizeHash === hashOf(read, state.size);
  const checked = checkParameters(parametersFor(read, parameters, isRepeated));
  const wasFolded = !isGiven || !states.every(isUnfolded);
  const dropsThinking = isStateLost && found === null && wasFolded && !checked.keepsThinking;
  const before =
    found?.messages ?? givenMessages(read).flatMap((one) => (dropsThinking ? withoutThinking(one) : [one]));
  const leading = read.instructions === null ? [] : [read.instructions];
  const conversation = ofMessages(Object.freeze([...leading, ...before.map(({ message }) => message)]));
  const managed = await manageChecked(conversation, checked, {
    ...more,
    tools: read.data.tools,
    calibration:
      state === null ? {} : { ...state.calibration, ...(isPlainObject(state.usage) && { usage: state.usage }) },
    idleSeconds: state === null || isRepeated ? undefined : Math.max(0, (at - state.at) / 1000),
  });
  const after = sourcesOf(managed, before, leading.length);
  const sent = after.map((one, index) => ({
    ...one,
    message: managed.messages[leading.length + index] as ChatMessage,
  }));
  const written = writtenBody(body, read, partsOf(read, sent));
  if ("reason" in written) return unmanaged(body, states, isGiven, written.reason);
  const isFolded =
    managed.conversation.messages !== conversation.messages || (dropsThinking && read.messages.some(hasSigned));
  const sizeOf = (list: readonly SourcedMessage[]) =>
    messageSizes(
      list.map(({ message }) => message),
      checked,
    ).reduce((sum, size) => sum + size, 0);
  const savedBefore = state?.saved ?? (dropsThinking ? sizeOf(givenMessages(read)) - sizeOf(before) : 0);
  const saved = isFolded ? sizeOf(givenMessages(read)) - sizeOf(after) : savedBefore;
  const { entries, end } = entriesOf(after, read.messages);
  const count = read.starts[end] as number;
  const size = read.items.length;
  const { tokens, reason, warnings, cache = null } = managed.report;
  return {
    body: written.body,
    state: {
      version: 1,
      format: read.format,
      count,
      hash: hashOf(read, count),
      entries,
      saved,
      size,
      sizeHash: hashOf(read, size),
      at,
      calibration: { ...managed.calibration, ...(typeof read.data.model === "string" && { model: read.data.model }) },
    },
    report: {
      format: read.format,
      isChanged: written.body !== body,
      isFolded,
      session: found !== null ? "continued" : isGiven ? "restarted" : "new",
      continued: found?.index ?? null,
      tokens: { ...tokens, before: tokens.before + Math.round(savedBefore * tokens.factor) },
      reason,
      warnings,
      cache,
    },
  };
}

function readRequestOptions(options: unknown) {
  const checks = {
    state: anyOption<ManageRequestOptions["state"]>(),
    isStateLost: flagOption(false),
    format: choiceOption(["anthropic", "openai", "openai-responses"]),
    at: timeOption,
    llm: checkLLM,
    retry: checkRetry,
    signal: checkSignal,
    onWarning: functionOption<(text: string) => void>(),
    summaryStore: checkStore,
  } satisfies OptionChecks<Omit<ManageRequestOptions, keyof RequestParameters>>;
  return wrapReadErrors("invalid_option", "the options", () => {
    const own = checkMembers("the options", options, [...Object.keys(checks), ...PARAMETER_NAMES], RENAMED_PARAMETERS);
    const isOwn = ([name]: [string, unknown]) => Object.hasOwn(checks, name);
    const entries = Object.entries(own);
    const others = Object.fromEntries(entries.filter(isOwn));
    const {
      state,
      isStateLost,
      format,
      at,
      onWarning = () => {},
      ...more
    } = readOptions("the options", others, checks);
    return {
      states: (Array.isArray(state) ? state : [state ?? null]) as readonly (RequestState | null)[],
      isGiven: Array.isArray(state) ? state.length > 0 : (state ?? null) !== null,
      isStateLost,
      format,
      at,
      parameters: Object.fromEntries(
        entries.filter((entry) => !isOwn(entry) && entry[1] !== undefined),
      ) as RequestParameters,
      more: { ...more, onWarning },
    };
  });
}

function timeOption(time: unknown, option: string): number {
  if (time === undefined) return currentTime();
  if (typeof time === "number" && Number.isFinite(time)) return time;
  throw invalidOption(option, "milliseconds since 1970", time);
}

/** The parameters for a body, with what it tells of the provider. */
function parametersFor(body: RequestBody, given: RequestParameters, isRepeated: boolean): RequestParameters {
  const { format, data } = body;
  const isEnabled = isPlainObject(data.thinking) && data.thinking.type === "enabled";
  const parameters: RequestParameters = {
    provider: format === "anthropic" ? "anthropic" : "openai",
    prices: mechanismOf(body),
    ...(isEnabled && { thinking: "enabled" }),
    ...given,
  };
  if (!isRepeated) return parameters;
  // What was decided for a request stands when it is sent again.
  const { compressionStrategy: _, when: __, maxTokens: ___, maxHistorySize: ____, ...others } = parameters;
  return others;
}

/** The state of a chat among several, that of its last request, and the messages that it sends. */
function findState(
  states: readonly unknown[],
  body: RequestBody,
): { state: RequestState; index: number; messages: SourcedMessage[] } | null {
  const isPart = ({ size, sizeHash }: RequestState) => size <= body.items.length && sizeHash === hashOf(body, size);
  const found = states.flatMap((given, index) => {
    const messages = restoreMessages(given, body);
    const state = given as RequestState;
    // Before its first fold, a state is of each chat that has all that its last request had.
    return messages === null || (state.count === 0 && !isPart(state)) ? [] : [{ state, index, messages }];
  });
  // A state whose last request is the beginning of this one, rather than one with which only its folds are shared.
  const rank = ({ state }: { state: RequestState }) => [isPart(state) ? state.size : 0, state.count] as const;
  return found.reduce<(typeof found)[number] | null>((best, one) => {
    if (best === null) return one;
    const [[size, count], [bestSize, bestCount]] = [rank(one), rank(best)];
    return size > bestSize || (size === bestSize && count > bestCount) ? one : best;
  }, null);
}

/** A message without thinking that Claude signed; none where nothing is left of it. */
function withoutThinking({ message, source }: SourcedMessage): SourcedMessage[] {
  const left = hasSigned(message) ? withoutSigned(message) : message;
  return left === null ? [] : [{ message: left, source }];
}

const givenMessages = ({ messages }: RequestBody): SourcedMessage[] =>
  messages.map((message, source) => ({ message, source }));

/** Returns the messages of a managed conversation with their sources. */
function sourcesOf({ conversation, report }: Managed, before: readonly SourcedMessage[], leading: number) {
  const places = new Map(before.map(({ message }, index) => [message, index]));
  const stays = (index: number) => ["kept", "stubbed"].includes((report.messages[leading + index] as Fate).fate);
  let next = 0;
  return conversation.messages.slice(leading).map((message): SourcedMessage => {
    const known = places.get(message);
    if (known !== undefined) {
      next = known + 1;
      return before[known] as SourcedMessage;
    }
    if (message.summary !== undefined) return { message, source: null };
    // Messages keep their order, so a changed message is the next one that stays.
    while (next < before.length && !stays(next)) next++;
    return { message, source: before[next++]?.source ?? null };
  });
}

/** Returns the parts of the new history. */
function partsOf(body: RequestBody, sent: readonly SourcedMessage[]): NewPart[] {
  const { messages, items, starts } = body;
  const parts: NewPart[] = [];
  /** The first message that is not yet sent or replaced. */
  let open = 0;
  for (const [index, { message, source }] of sent.entries()) {
    const last = parts.at(-1);
    if (source !== null && message === messages[source]) {
      if (last !== undefined && "start" in last && last.end === source) last.end = source + 1;
      else parts.push({ start: source, end: source + 1 });
      open = source + 1;
      continue;
    }
    // The mark of what several messages replace is at the end of the last.
    const next = sent[index + 1];
    const isLast = next === undefined || next.source !== null;
    const end = source === null ? (next?.source ?? messages.length) : source + 1;
    const mark = (source !== null || isLast) && end > open ? markIn(items.slice(starts[open], starts[end])) : null;
    if (source !== null || isLast) open = Math.max(open, end);
    parts.push({ message, source, mark });
  }
  return parts;
}

function writtenBody<Body>(
  given: Body,
  body: RequestBody,
  parts: readonly NewPart[],
): { body: Body } | { reason: string } {
  const [first] = parts;
  const isWhole = first !== undefined && "start" in first && first.start === 0 && first.end === body.messages.length;
  if (isWhole || parts.length === 0) return { body: given };
  try {
    return { body: writeBody(body, parts) as Body };
  } catch (error) {
    if (TurnfoldError.isInstance(error) && error.code === "unsupported_part") return { reason: error.message };
    throw error;
  }
}

function unmanaged<Body>(
  body: Body,
  states: readonly (RequestState | null)[],
  isGiven: boolean,
  reason: string | null,
): ManagedRequest<Body> {
  return {
    body,
    state: isGiven ? (states[0] ?? null) : null,
    report: {
      format: null,
      isChanged: false,
      isFolded: false,
      session: isGiven ? "restarted" : "new",
      continued: null,
      tokens: null,
      reason: null,
      warnings: reason === null ? [] : [`the body passes unchanged: ${reason}`],
      cache: null,
    },
  };
}
