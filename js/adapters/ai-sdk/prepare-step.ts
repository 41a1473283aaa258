import { checkSignal } from "../../boundary/abort.ts";
import { sinceTime } from "../../boundary/clock.ts";
import { anyOption, copyMembers, invalidOption } from "../../boundary/options.ts";
import { wrapReadErrors } from "../../errors.ts";
import { type AISDKModel, aiSdkModel } from "../../models/ai-sdk-model.ts";
import { type OfferedTool, offeredTools } from "../shared/offered-tools.ts";
import type { AISDKMessageLike, AISDKStep } from "./framework.ts";
import { manageMessages } from "./manage-messages.ts";
import { checkOptions, type MiddlewareOptions } from "./options.ts";

/** A system message of the instructions. */
interface SystemMessage {
  readonly content: string;
}

/** Options of {@link turnfoldPrepareStep}: how histories are managed, and with which model. */
export interface PrepareStepOptions extends MiddlewareOptions {
  /**
   * The instructions of the call, which count in limits: a text, a system message, or a list of them. AI SDK 7 passes
   * its instructions to each step; earlier versions don't, so pass them here too.
   */
  instructions?: string | SystemMessage | readonly SystemMessage[] | undefined;
  /** The tools of the call, by their names. They count in limits; the AI SDK does not pass them to a step. */
  tools?: object | undefined;
  /** Aborts the request for a summary. The AI SDK does not pass the signal of the call to a step. */
  signal?: AbortSignal | undefined;
}

/** A function for the option `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`. */
export type TurnfoldPrepareStep = <Message extends AISDKMessageLike>(
  step: AISDKStep<Message>,
) => Promise<{ messages: Message[] }>;

/** The messages that were sent in a step, and the whole history that they replace. */
interface SentStep {
  sent: readonly unknown[];
  wholeHistory: readonly AISDKMessageLike[];
}

/**
 * Makes a function that manages the messages of each step of a call with the parameters of {@link manageHistory}. The
 * messages of the result, which a host saves, are not shortened.
 *
 * Each step is managed from the whole history, in which stored summaries replace the messages they cover, so a loop
 * pays for each summary once. Use one function for all calls of a conversation, or of several conversations.
 *
 * @example
 * ```ts
 * const prepareStep = turnfoldPrepareStep({ compressionStrategy: digest(), maxTokens: 50_000 });
 * const { text } = await generateText({ model, tools, messages, prepareStep });
 * ```
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`. The errors of {@link manageHistory}
 * end the call.
 */
export function turnfoldPrepareStep(options: PrepareStepOptions): TurnfoldPrepareStep {
  const checks = { instructions: anyOption(), tools: checkTools, signal: checkSignal };
  const { instructions: ownInstructions, tools, signal, ...checked } = checkOptions(options, checks);
  /** Steps by the last message that was sent. */
  const steps = new WeakMap<object, SentStep>();
  return async <Message extends AISDKMessageLike>(step: AISDKStep<Message>) => {
    const { messages, model, stepNumber, steps: before, instructions } = copyMembers(step, "the step");
    const given = wrapReadErrors("invalid_message", "messages", () =>
      Array.isArray(messages) ? (messages as Message[]) : null,
    );
    if (given === null) {
      throw invalidOption("messages", "the messages of a step", messages, "prepareStep: turnfoldPrepareStep(options)");
    }
    const wholeHistory = wholeHistoryOf(given, stepNumber === 0 ? null : steps);
    const idleSeconds = idleSecondsOf(before);
    const sent = await manageMessages<Message>(
      {
        messages: wholeHistory,
        system: systemMessages(instructions ?? ownInstructions),
        isPrompt: false,
        llm: (request) => aiSdkModel(model as AISDKModel)(request),
        signal,
        context: { tools, idleSeconds },
      },
      checked,
    );
    const last = sent.at(-1);
    if (last !== undefined && !areEqual(sent, wholeHistory)) steps.set(last, { sent, wholeHistory });
    return { messages: areEqual(sent, given) ? given : sent };
  };
}

/**
 * Returns the whole history of a step. AI SDK 7 continues from the messages that were sent in the previous step; the
 * omitted ones are restored, so that every step is managed from the same history and finds the same summaries.
 *
 * @param steps the earlier steps; null for the first step of a call.
 */
function wholeHistoryOf<Message extends AISDKMessageLike>(
  messages: readonly Message[],
  steps: WeakMap<object, SentStep> | null,
): readonly Message[] {
  for (let end = messages.length; end > 0 && steps !== null; end--) {
    const found = steps.get(Object(messages[end - 1]));
    if (found === undefined || !areEqual(found.sent, messages.slice(0, end))) continue;
    return [...(found.wholeHistory as readonly Message[]), ...messages.slice(end)];
  }
  return [...messages];
}

function checkTools(given: unknown): OfferedTool[] | undefined {
  if (given === undefined) return undefined;
  const hint = "{ search: tool({ … }) }, as the call has them";
  if (typeof given !== "object" || given === null) throw invalidOption("tools", "tools by their names", given, hint);
  return wrapReadErrors("invalid_option", "tools", () => offeredTools(given));
}

function areEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

function systemMessages(instructions: unknown): AISDKMessageLike[] {
  if (instructions === undefined || instructions === null) return [];
  const list: unknown[] = Array.isArray(instructions) ? instructions : [instructions];
  return list.map((each) => {
    if (typeof each === "string") return { role: "system", content: each };
    const { content } = copyMembers(each, "instructions", "a text, a system message, or a list of them");
    return { role: "system", content };
  });
}

/** Seconds since the reply of the last step. */
function idleSecondsOf(steps: unknown): number | undefined {
  const { response } = Object(Array.isArray(steps) ? steps.at(-1) : undefined) as { response?: unknown };
  const { timestamp } = Object(response) as { timestamp?: unknown };
  if (!(timestamp instanceof Date)) return undefined;
  const seconds = sinceTime(timestamp.getTime()) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}
