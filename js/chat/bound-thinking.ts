import { call } from "../boundary/wasm.ts";
import { isPlainObject } from "../values/describe.ts";
import { breakpointsOf } from "./breakpoints.ts";
import { withFewerTokens } from "./calibration.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type Conversation, freeHandle, handleOf, ofMessages } from "./conversation.ts";
import type { Fate } from "./history-report.ts";
import type { CheckedParameters } from "./parameters.ts";
import { messageSizes } from "./planning.ts";
import { hasSigned, withoutSigned, withoutThinkingFrom } from "./signed-thinking.ts";
import { withoutStubs } from "./stubs.ts";
import type { Managed } from "./summarize.ts";
import type { StoredSummaries } from "./summary-store.ts";

/**
 * What a request was sent with instead of the given messages. Indexes are those of the sent messages, before any
 * thinking was removed.
 */
interface SentForm {
  /** The first message that this request or one before it had in another form than the given one. */
  from: number;
  /** Thinking between `from` and this message was removed. */
  until: number;
  /** The number of sent messages. */
  size: number;
  /** A key of the messages that were sent in another form, and of their positions. */
  key: string;
}

/**
 * Removes thinking that is no longer valid from managed histories.
 *
 * Models of Anthropic sign their thinking. Newer ones refuse a request with a block of thinking unless everything before
 * it is what it was in the request that produced the block. Thinking may be missing from the beginning on, but what was
 * removed once must stay so. Thus after the first message that changes, all thinking is removed that exists by then; what
 * a model thinks afterwards is valid until the next change.
 *
 * A host that sends the managed conversation again has the thinking removed for good. A host that gives the whole history
 * each time has it again each time, so the form of each request is stored, with a key of the given messages. Without a
 * stored form, the last change may be as new as this request, and all thinking after the first change is removed.
 *
 * @internal
 */
export class BoundThinking {
  /** The messages of the conversation, and those that are sent after it. */
  private readonly messages: readonly ChatMessage[];
  private readonly requests: readonly ChatMessage[];
  private readonly parameters: CheckedParameters;
  /** The form of the previous request. */
  private previous: SentForm | null = null;

  private constructor(
    messages: readonly ChatMessage[],
    requests: readonly ChatMessage[],
    parameters: CheckedParameters,
  ) {
    this.messages = messages;
    this.requests = requests;
    this.parameters = parameters;
  }

  /**
   * Returns null when there is no signed thinking and the next answer will have none, as far as the parameters tell, and
   * when they let it stay.
   *
   * @param requests the messages that are sent after the conversation.
   */
  static in(
    { messages: before }: Conversation,
    requests: readonly ChatMessage[],
    parameters: CheckedParameters,
  ): BoundThinking | null {
    const messages = requests.length === 0 ? before : [...before, ...requests];
    const mayBeSigned = parameters.wire.provider === "anthropic" || messages.some(hasSigned);
    return parameters.keepsThinking || !mayBeSigned ? null : new BoundThinking(messages, requests, parameters);
  }

  /**
   * Reads the stored form of the previous request.
   *
   * @throws {TurnfoldError} `aborted`
   */
  async readForm(stored: StoredSummaries | null): Promise<void> {
    const answered = this.messages.some(hasSigned) ? lastAnswer(this.messages) : 0;
    if (stored !== null && answered > 0) this.previous = formOf(await stored.sentForm(answered));
  }

  /** The conversation of the messages that are sent when nothing is changed. */
  get whole(): Conversation {
    return ofMessages(this.messages);
  }

  /** The first given message before which a request of this history may have had another form than the given one. */
  get changedFrom(): number {
    return this.previous?.from ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns a managed conversation without the thinking that is not valid, and makes the form in which it is sent; null
   * for the given one.
   */
  remove(managed: Managed): { managed: Managed; form: (() => SentForm) | null } {
    const { previous } = this;
    const sent = [...managed.conversation.messages, ...this.requests];
    const size = sent.length;
    const sources = this.sources(managed.report.messages);
    const layout = layoutOf(sent, sources, this.messages);
    const changed = layout.findIndex((index, place) => index !== sources[place]);
    const from = Math.min(previous?.from ?? size, changed < 0 ? size : changed);
    if (from === size) return { managed, form: null };
    const isSame =
      previous !== null &&
      previous.size <= size &&
      previous.key === formKey(sent, layout, previous) &&
      // The rest is as it was given: the answers to that request, and what followed them.
      continues(layout.slice(previous.size), sources);
    const extent = { from, until: isSame ? previous.until : size, size };
    return {
      managed: this.without(managed, extent),
      form: () => ({ ...extent, key: formKey(sent, layout, extent) }),
    };
  }

  /** The indexes of the given messages that are sent unless something changes: a provider's summary covers the others. */
  private sources(fates: readonly Fate[]): number[] {
    const covered = new Set(
      fates.filter(({ fate, reason }) => fate === "dropped" && reason === "compaction").map(({ index }) => index),
    );
    return [...this.messages.keys()].filter((index) => !covered.has(index));
  }

  /** Removes the signed thinking of some messages. */
  private without(managed: Managed, { from, until }: Pick<SentForm, "from" | "until">): Managed {
    const { report, calibration } = managed;
    const { messages } = managed.conversation;
    const changed = messages.filter((message, index) => index >= from && index < until && hasSigned(message));
    if (changed.length === 0) return managed;
    const left = withoutThinkingFrom(messages, from, until);
    const tokensOf = (list: readonly ChatMessage[]) =>
      messageSizes(list, this.parameters, calibration).reduce((sum, tokens) => sum + tokens, 0);
    const removed = tokensOf(changed) - tokensOf(withoutThinkingFrom(changed, 0));
    const emptied = new Set(changed.filter((message) => withoutSigned(message) === null).map(withoutStubs));
    const isEmptied = ({ index }: Fate) => emptied.has(withoutStubs(this.messages[index] as ChatMessage));
    const conversation = ofMessages(Object.freeze(left));
    // The messages that are sent are those of the conversation, one by one.
    const sent =
      managed.messages === messages
        ? conversation.messages
        : Object.freeze(withoutThinkingFrom(managed.messages, from, until));
    return {
      ...managed,
      conversation,
      messages: sent,
      breakpoints: breakpointsOf(sent),
      calibration: withFewerTokens(calibration, removed, report.tokens.factor),
      report: {
        ...report,
        messages: report.messages.map((fate) =>
          isEmptied(fate) ? { ...fate, fate: "dropped", reason: "thinking" } : fate,
        ),
        tokens: { ...report.tokens, after: report.tokens.after - removed },
      },
    };
  }
}

/** The number of messages of the request to which the last answers reply. */
function lastAnswer(messages: readonly ChatMessage[]): number {
  let end = messages.length;
  while (end > 0 && messages[end - 1]?.role !== "assistant") end--;
  while (end > 0 && messages[end - 1]?.role === "assistant") end--;
  return end;
}

/** For each message, the index of the given message that it is; null for a summary and for a changed message. */
function layoutOf(
  sent: readonly ChatMessage[],
  sources: readonly number[],
  given: readonly ChatMessage[],
): (number | null)[] {
  const places = new Map(sources.map((index, place) => [withoutStubs(given[index] as ChatMessage), place]));
  let next = 0;
  return sent.map((message) => {
    const place = places.get(withoutStubs(message));
    if (place === undefined || place < next) return null;
    next = place + 1;
    const index = sources[place] as number;
    return given[index] === message ? index : null;
  });
}

/** True for the last given messages, all of them. */
function continues(layout: readonly (number | null)[], sources: readonly number[]): boolean {
  const last = sources.slice(sources.length - layout.length);
  return layout.every((index, place) => index === last[place]);
}

/** A key of the first `size` messages that are not the given ones, and of the positions of all from `from` on. */
function formKey(
  sent: readonly ChatMessage[],
  layout: readonly (number | null)[],
  { from, size }: Pick<SentForm, "from" | "size">,
): string {
  const changed = sent.slice(0, size).filter((_, place) => layout[place] === null);
  const about = layout.slice(from, size).join();
  if (changed.length === 0) return about;
  const conversation = ofMessages(changed);
  const keys = call("chat", () => handleOf(conversation).contentKeys(Uint32Array.from(changed.keys()), about));
  freeHandle(conversation);
  return keys.at(-1) as string;
}

function formOf(text: string | null): SentForm | null {
  if (text === null) return null;
  try {
    const form = JSON.parse(text) as unknown;
    if (!isPlainObject(form)) return null;
    const { from, until, size, key } = form;
    const isForm = [from, until, size].every((count) => Number.isSafeInteger(count)) && typeof key === "string";
    return isForm ? (form as unknown as SentForm) : null;
  } catch {
    return null;
  }
}
