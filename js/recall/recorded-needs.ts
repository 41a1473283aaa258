import type { Step } from "../agent/step.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import type { Conversation } from "../chat/conversation.ts";
import { jsonText } from "../chat/message-json.ts";
import { resultHandles } from "../chat/result-tool.ts";
import { type PairedCall, toolPairs } from "../chat/tool-pairs.ts";
import type { Message } from "../model/message.ts";
import { Renderer } from "../turns/renderer.ts";
import type { Turn } from "../turns/turn.ts";
import { groupBy } from "../values/group-by.ts";
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
  given: GivenTexts;
  needs: Need[];
}

/**
 * The texts of messages, and the atoms in them. The requests of a chat share them: each was given a beginning.
 *
 * @internal
 */
export class EarlierTexts {
  readonly messages: readonly Message[];
  readonly texts: readonly ShownText[];
  private readonly index: AtomIndex;
  /** The tokens before each text, without system messages. */
  readonly tokensBefore: readonly number[];
  private readonly firsts = new Map<ShownText, number>();
  private readonly firstWithName = new Map<string, number>();
  private places: { system: Map<string, number>; others: Map<string, number[]> } | null = null;

  constructor(messages: readonly Message[], texts: ShownTexts, index: AtomIndex) {
    this.messages = messages;
    this.texts = messages.map((message) => texts.of(message));
    this.index = index;
    const tokensBefore = [0];
    for (const [position, text] of this.texts.entries()) {
      if (!this.firsts.has(text)) this.firsts.set(text, position);
      tokensBefore.push((tokensBefore[position] as number) + (text.isSystem ? 0 : text.tokens));
    }
    this.tokensBefore = tokensBefore;
  }

  /** The index of the first message with the text; Infinity when there is none. */
  firstOf(text: ShownText): number {
    return this.firsts.get(text) ?? Number.POSITIVE_INFINITY;
  }

  /** The indexes of the messages with an atom of the index, without system messages. */
  placesOf(atom: string): readonly number[] {
    return this.allPlaces().others.get(atom) ?? [];
  }

  /** The index of the first system message with an atom of the index; Infinity when there is none. */
  firstSystemWith(atom: string): number {
    return this.allPlaces().system.get(atom) ?? Number.POSITIVE_INFINITY;
  }

  /** The index of the first message with a name; Infinity when there is none. */
  firstWith(name: string): number {
    if (this.index.has(name))
      return Math.min(this.placesOf(name)[0] ?? Number.POSITIVE_INFINITY, this.firstSystemWith(name));
    let first = this.firstWithName.get(name);
    if (first === undefined) {
      const own = new AtomIndex();
      own.add(name);
      const found = this.texts.findIndex(
        ({ text }) => text.includes(name) && (name.includes("://") || own.occurrencesIn(text).has(name)),
      );
      first = found < 0 ? Number.POSITIVE_INFINITY : found;
      this.firstWithName.set(name, first);
    }
    return first;
  }

  /** Finds the places once, when all atoms are in the index. */
  private allPlaces(): { system: Map<string, number>; others: Map<string, number[]> } {
    if (this.places !== null) return this.places;
    const places = { system: new Map<string, number>(), others: new Map<string, number[]>() };
    for (const [position, text] of this.texts.entries()) {
      for (const atom of text.occurrencesOf(this.index).keys()) {
        if (text.isSystem) {
          if (!places.system.has(atom)) places.system.set(atom, position);
          continue;
        }
        const known = places.others.get(atom);
        if (known === undefined) places.others.set(atom, [position]);
        else known.push(position);
      }
    }
    this.places = places;
    return places;
  }
}

/**
 * The messages that a request was given: the first `count` of a list.
 *
 * @internal
 */
export class GivenTexts {
  readonly all: EarlierTexts;
  readonly count: number;

  constructor(all: EarlierTexts, count: number) {
    this.all = all;
    this.count = count;
  }

  has(text: ShownText): boolean {
    return this.all.firstOf(text) < this.count;
  }

  hasName(name: string): boolean {
    return this.all.firstWith(name) < this.count;
  }

  hasInSystem(atom: string): boolean {
    return this.all.firstSystemWith(atom) < this.count;
  }

  /** The text of the message at an index; undefined from `count` on. */
  at(index: number): ShownText | undefined {
    return index < this.count ? this.all.texts[index] : undefined;
  }

  /** The number of messages with an atom of the index, without system messages: these are the first ones of `placesOf`. */
  countOf(atom: string): number {
    const places = this.all.placesOf(atom);
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] as number) < this.count) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The indexes of the messages with an atom of the index, without system messages. */
  placesOf(atom: string): readonly number[] {
    return this.all.placesOf(atom).slice(0, this.countOf(atom));
  }

  /** The index of the last such message; undefined when there is none. */
  lastWith(atom: string): number | undefined {
    return this.all.placesOf(atom)[this.countOf(atom) - 1];
  }

  /** The tokens of the messages after an index, without system messages. */
  tokensAfter(index: number): number {
    const { tokensBefore } = this.all;
    return (tokensBefore[this.count] as number) - (tokensBefore[index + 1] as number);
  }
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
    let all: EarlierTexts | null = null;
    this.requests = found.map(({ messages, count }) => {
      if (all?.messages !== messages) all = new EarlierTexts(messages, texts, this.index);
      return { given: new GivenTexts(all, count), needs: [] };
    });
    this.used = found.map(({ atoms }) => atoms);
    this.repeats = "turns" in recording ? [] : repeatedResults(recording.messages);
    this.handles = "turns" in recording ? new Map() : handlesByMessage(recording.messages);
    for (const atoms of this.used) for (const atom of atoms) this.index.add(atom);
  }

  /** Every text of earlier messages, each once. */
  get texts(): Set<ShownText> {
    const texts = new Set<ShownText>();
    // Of a list that several requests share, the last one has the most messages.
    for (const [number, { given }] of this.requests.entries()) {
      if (this.requests[number + 1]?.given.all === given.all) continue;
      for (const text of given.all.texts.slice(0, given.count)) texts.add(text);
    }
    return texts;
  }

  /** Finds the needs, once all atoms are in the index. */
  findNeeds(): void {
    const times = new Map<string, number>();
    for (const atoms of this.used) for (const atom of atoms) times.set(atom, (times.get(atom) ?? 0) + 1);
    for (const [number, { given, needs }] of this.requests.entries()) {
      for (const atom of this.used[number] as Set<string>) {
        if ((times.get(atom) as number) > MAX_REQUESTS_WITH_ATOM) continue;
        const messageIndex = given.lastWith(atom);
        // The system prompt is in every request.
        if (messageIndex === undefined || given.hasInSystem(atom)) continue;
        needs.push({ atom, messageIndex, distance: given.tokensAfter(messageIndex) });
      }
    }
  }
}

/** The atoms of a request, which was given the first `count` messages of a list. */
interface RequestAtoms {
  messages: readonly Message[];
  count: number;
  atoms: Set<string>;
}

function chatRequests({ messages }: Conversation): RequestAtoms[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant" || index === 0) return [];
    return [{ messages, count: index, atoms: atomsOfArguments(argumentsOf(message)) }];
  });
}

function turnRequests(step: Step): RequestAtoms[] {
  const renderer = new Renderer({ ...step.request, compression: false });
  try {
    return step.turns.map((turn) => {
      const { messages } = renderer.render();
      renderer.push(turn);
      return { messages, count: messages.length, atoms: atomsOfTurn(turn) };
    });
  } finally {
    renderer.dispose();
  }
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
  const byMessage = groupBy(resultHandles(messages), ({ result }) => result.messageIndex);
  return new Map(Array.from(byMessage, ([index, own]) => [index, own.map(({ handle }) => handle)]));
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
  const answers = results.flat().filter(({ call }) => call !== null);
  const repeats = groupBy(answers, ({ call }) => signatures.get(call as PairedCall));
  return Array.from(repeats.values(), (same) => same.map(({ messageIndex }) => messageIndex)).filter(
    (same) => same.length > 1,
  );
}
