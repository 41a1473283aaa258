import type { Step } from "../agent/step.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import type { Conversation } from "../chat/conversation.ts";
import { jsonText } from "../chat/message-json.ts";
import { recallHandles } from "../chat/recall-tool.ts";
import { type PairedCall, toolPairs } from "../chat/tool-pairs.ts";
import type { Message } from "../turns/message.ts";
import { toMessages } from "../turns/to-messages.ts";
import type { Turn } from "../turns/turn.ts";
import { atomsOfArguments, namesIn } from "./atoms.ts";
import { AtomIndex, argumentsOf, type ShownText, type ShownTexts, textOf } from "./shown-text.ts";

/** An atom that is used by more requests is not counted as a need. */
const MAX_REQUESTS_WITH_ATOM = 10;

/**
 * An atom that a request uses and that an earlier message contains.
 *
 * @internal
 */
export interface Need {
  atom: string;
  /** The index of the last message with it. */
  messageIndex: number;
  /** Tokens between that message and the request. */
  distance: number;
}

/**
 * A request of a recording, with the messages before it.
 *
 * @internal
 */
export interface RecordedRequest {
  messages: readonly Message[];
  given: readonly ShownText[];
  /** `given` as a set. */
  unchanged: ReadonlySet<ShownText>;
  needs: Need[];
}

/**
 * The requests of a recorded chat, one for each assistant message, or of a step, one for each turn, with their needs.
 *
 * @internal
 */
export class RecordedNeeds {
  readonly requests: RecordedRequest[];
  readonly index = new AtomIndex();
  /** The indexes of the results of calls that were made several times with the same arguments; for chats only. */
  readonly repeats: readonly (readonly number[])[];
  /** The handles by which results can be recalled, by the indexes of their messages; for chats only. */
  readonly handles: ReadonlyMap<number, readonly string[]>;
  private readonly used: Set<string>[];

  constructor(recording: Conversation | Step, texts: ShownTexts) {
    const found = "turns" in recording ? turnRequests(recording) : chatRequests(recording);
    this.requests = found.map(({ messages }) => {
      const given = messages.map((message) => texts.of(message));
      return { messages, given, unchanged: new Set(given), needs: [] };
    });
    this.used = found.map(({ atoms }) => atoms);
    this.repeats = "turns" in recording ? [] : repeatedResults(recording.messages);
    this.handles = "turns" in recording ? new Map() : handlesByMessage(recording.messages);
    for (const atoms of this.used) for (const atom of atoms) this.index.add(atom);
  }

  /** Every text of earlier messages, each once. */
  get texts(): Set<ShownText> {
    return new Set(this.requests.flatMap(({ given }) => given));
  }

  /** Finds the needs, once all atoms are in the index. */
  findNeeds(): void {
    const times = new Map<string, number>();
    for (const atoms of this.used) for (const atom of atoms) times.set(atom, (times.get(atom) ?? 0) + 1);
    for (const [number, request] of this.requests.entries()) {
      const { given, needs } = request;
      for (const atom of this.used[number] as Set<string>) {
        if ((times.get(atom) as number) > MAX_REQUESTS_WITH_ATOM) continue;
        let [distance, messageIndex] = [0, given.length - 1];
        for (; messageIndex >= 0; messageIndex--) {
          const text = given[messageIndex] as ShownText;
          if (!text.isSystem && text.occurrencesOf(this.index).has(atom)) break;
          if (!text.isSystem) distance += text.tokens;
        }
        // The system prompt is in every request.
        const isInSystem = given.some((text) => text.isSystem && text.occurrencesOf(this.index).has(atom));
        if (messageIndex >= 0 && !isInSystem) needs.push({ atom, messageIndex, distance });
      }
    }
  }
}

interface RequestAtoms {
  messages: readonly Message[];
  atoms: Set<string>;
}

function chatRequests({ messages }: Conversation): RequestAtoms[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant" || index === 0) return [];
    return [{ messages: messages.slice(0, index), atoms: atomsOfArguments(argumentsOf(message)) }];
  });
}

function turnRequests(step: Step): RequestAtoms[] {
  return step.turns.map((turn, index) => {
    const { messages } = toMessages(step.turns.slice(0, index), null, { ...step.request, compression: false });
    return { messages, atoms: atomsOfTurn(turn) };
  });
}

/** Returns the names in a program, and the arguments of its calls that are literals in it. */
function atomsOfTurn({ program, toolCalls }: Turn): Set<string> {
  if (program === null) return new Set();
  const atoms = new Set(namesIn(program));
  const own = new AtomIndex();
  for (const { args } of toolCalls) for (const atom of atomsOfArguments(args)) own.add(atom);
  for (const atom of own.occurrencesIn(textOf({ role: "assistant", content: program })).keys()) atoms.add(atom);
  return atoms;
}

function handlesByMessage(messages: readonly ChatMessage[]): Map<number, string[]> {
  const handles = new Map<number, string[]>();
  for (const { handle, result } of recallHandles(messages)) {
    handles.set(result.messageIndex, [...(handles.get(result.messageIndex) ?? []), handle]);
  }
  return handles;
}

function repeatedResults(messages: readonly ChatMessage[]): number[][] {
  const { calls, results } = toolPairs(messages);
  const signatures = new Map<PairedCall, string>();
  for (const [messageIndex, message] of messages.entries()) {
    const args = argumentsOf(message);
    for (const [index, call] of (calls[messageIndex] ?? []).entries()) {
      signatures.set(call, `${call.name} ${jsonText(args[index])}`);
    }
  }
  const resultIndexes = new Map<string, number[]>();
  for (const { call, messageIndex: at } of results.flat()) {
    if (call === null) continue;
    const signature = signatures.get(call) as string;
    resultIndexes.set(signature, [...(resultIndexes.get(signature) ?? []), at]);
  }
  return [...resultIndexes.values()].filter((same) => same.length > 1);
}
