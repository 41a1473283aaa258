import { call, send } from "../boundary/wasm.ts";
import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { messagesJson } from "../chat/conversation.ts";
import { mayHaveData } from "../chat/count-messages.ts";
import { isCall, partsOf } from "../chat/tool-pairs.ts";
import type { Message } from "../model/message.ts";
import { jsonOrText } from "../values/json-or-text.ts";
import { namesIn } from "./atoms.ts";

/** The members of a message's part that contain text. */
interface TextPart {
  type: string;
  text?: unknown;
  toolName?: unknown;
  input?: unknown;
  args?: unknown;
  output?: unknown;
  result?: unknown;
}

/**
 * Returns the text of a message: JSON is unescaped, one line for each object. Reasoning is omitted, because providers
 * do not show it to the model again.
 *
 * @internal
 */
export function textOf(message: ChatMessage): string {
  const { content, toolCalls = [] } = message;
  const lines = typeof content === "string" ? [expandJson(content)] : partsOf(message).map(textOfPart);
  for (const { name, args } of toolCalls) lines.push(callLine(name, args));
  return lines
    .filter((line) => line !== "")
    .join("\n")
    .normalize("NFC");
}

/** Returns a message with notes in place of the data of images and files in its texts, calls and results. */
function withoutData(message: ChatMessage): ChatMessage {
  const json = messagesJson([message]);
  if (!mayHaveData(json)) return message;
  return (JSON.parse(call("chat", (wasm) => wasm.withoutData(send(json)))) as [ChatMessage])[0];
}

function textOfPart(part: TextPart): string {
  const { type, text, toolName, input, args, output, result } = part;
  if (type === "reasoning" || type === "thinking" || type === "redacted_thinking") return "";
  if (typeof text === "string") return expandJson(text);
  if (type === "tool-call") return callLine(String(toolName), input ?? args);
  return type === "tool-result" ? textOfOutput(output ?? result) : "";
}

/** Returns the text of a tool's output: a text, data, `{ type, value }` around one of them, or parts. */
function textOfOutput(output: unknown): string {
  if (typeof output === "string") return expandJson(output);
  if (Array.isArray(output) && output.every((part) => typeof part?.type === "string")) {
    return output.map((part) => textOfPart(part as TextPart)).join("\n");
  }
  const { type, value } = Object(output) as { type?: unknown; value?: unknown };
  return typeof type === "string" && value !== undefined ? textOfOutput(value) : dataLines(output);
}

const callLine = (name: string, args: unknown) => `${name} ${dataLines(jsonIn(args))}`;

/** Returns the data lines of JSON or of JSON Lines; other text unchanged. */
function expandJson(text: string): string {
  if (!JSON_START.test(text)) return text;
  const data = jsonIn(text);
  if (typeof data === "object") return dataLines(data);
  const lines = text.split("\n").map(jsonIn);
  if (lines.every((line) => typeof line === "object" || line === "")) return lines.map(dataLines).join("\n");
  // JSON that was cut off, or several JSON texts.
  return /[\]}]\s*$/.test(text) ? text.replace(/\\(u[\da-f]{4}|.)/gi, unescapeCharacter) : text;
}

const JSON_START = /^\s*(\{\s*"|\[\s*[[{"])/;
const ESCAPES: Record<string, string> = { n: "\n", r: "\n", t: " ", b: " ", f: " " };
const unescapeCharacter = (_: string, sign: string) =>
  sign.length > 1 ? String.fromCharCode(Number.parseInt(sign.slice(1), 16)) : (ESCAPES[sign] ?? sign);

/** Returns the data of a text that is a JSON object or list, and anything else as it is. */
const jsonIn = (given: unknown): unknown =>
  typeof given === "string" && /^\s*[[{]/.test(given) ? jsonOrText(given) : given;

/** Writes one line for each object with values, `key: value, key: value`; a text of several lines keeps its lines. */
function dataLines(data: unknown): string {
  if (typeof data !== "object" || data === null) return data === undefined ? "" : String(data);
  const here: string[] = [];
  const below: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === "object" && value !== null)
      below.push(`${Array.isArray(data) ? "" : `${key}: `}${dataLines(value)}`);
    else here.push(Array.isArray(data) ? String(value) : `${key}: ${value}`);
  }
  return [here.join(", "), ...below].filter((line) => line !== "").join("\n");
}

/** The occurrences of an atom in a text: its first lines, and the end of its last occurrence. */
interface Occurrence {
  lines: number[];
  last: number;
}

/** Maximum number of lines recorded for an atom. */
const MAX_LINES = 8;

/**
 * The text of a message, and the atoms that occur in it at word boundaries.
 *
 * @internal
 */
export class ShownText {
  readonly text: string;
  readonly tokens: number;
  readonly isSystem: boolean;
  private occurrences: Map<string, Occurrence> | null = null;
  private ownNames: string[] | null = null;
  private ownHandles: Set<string> | null = null;
  private lines: string[] | null = null;
  private readonly words = new Map<number, Set<string>>();

  constructor(text: string, tokens: number, isSystem: boolean) {
    this.text = text;
    this.tokens = tokens;
    this.isSystem = isSystem;
  }

  /** The words after each `#` in it, such as the handles of results. */
  get handles(): ReadonlySet<string> {
    this.ownHandles ??= new Set(Array.from(this.text.matchAll(/#([0-9a-z]+)\b/g), ([, handle]) => handle as string));
    return this.ownHandles;
  }

  /** The names in it, as by {@link namesIn}. */
  get names(): readonly string[] {
    this.ownNames ??= namesIn(this.text);
    return this.ownNames;
  }

  /** Finds the atoms of an index in the text, once. */
  occurrencesOf(index: AtomIndex): ReadonlyMap<string, Occurrence> {
    this.occurrences ??= index.occurrencesIn(this.text);
    return this.occurrences;
  }

  /** Returns the words of four letters or more in the first lines with an atom, without parts of names. */
  wordsBeside(atom: string): Set<string> {
    const all = new Set<string>();
    for (const line of this.occurrences?.get(atom)?.lines ?? []) for (const word of this.wordsOf(line)) all.add(word);
    return all;
  }

  private wordsOf(line: number): Set<string> {
    let words = this.words.get(line);
    if (words === undefined) {
      this.lines ??= this.text.split("\n");
      words = wordsIn(this.lines[line] as string);
      this.words.set(line, words);
    }
    return words;
  }
}

function wordsIn(line: string): Set<string> {
  const words = new Set<string>();
  for (const token of line.split(/[\s"'`()[\]{}<>,;:=|…]+/)) {
    const word = token.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
    const isName = /[^\p{L}]/u.test(word) || /\p{Ll}\p{Lu}/u.test(word);
    if (word.length >= 4 && !isName && !/[/_\d@]/.test(token)) words.add(word.toLowerCase());
  }
  return words;
}

/**
 * Texts of messages, each made once.
 *
 * @internal
 */
export class ShownTexts {
  private readonly count: (text: string) => number;
  private readonly ofMessages = new WeakMap<Message, ShownText>();
  private readonly base: ShownTexts | null;
  private readonly ofTexts = new Map<string, ShownText>();

  /** @param base texts that are reused if they have them. */
  constructor(count: (text: string) => number, base: ShownTexts | null = null) {
    this.count = count;
    this.base = base;
  }

  of(message: Message): ShownText {
    const known = this.ofMessages.get(message) ?? this.base?.ofMessages.get(message);
    if (known !== undefined) return known;
    const text = textOf(withoutData(message as ChatMessage));
    const key = `${isSystem(message) ? "s" : "m"}${text}`;
    let shown = this.ofTexts.get(key) ?? this.base?.ofTexts.get(key);
    if (shown === undefined) {
      shown = new ShownText(text, this.count(text), isSystem(message));
      this.ofTexts.set(key, shown);
    }
    this.ofMessages.set(message, shown);
    return shown;
  }
}

const WORD = /[\p{L}\p{N}_]+/gu;
const isWord = (text: string | undefined) => text !== undefined && /[\p{L}\p{N}_]/u.test(text);

/** Atoms with the same first word, the same length and the same number of characters before that word. */
interface SimilarAtoms {
  offset: number;
  length: number;
  atoms: Set<string>;
}

/**
 * Finds atoms in texts, at word boundaries: `max` is not in `maximum`, `a.ts` is in `src/a.ts`.
 *
 * @internal
 */
export class AtomIndex {
  /** The atoms by their first word. There may be many with the same one, such as all paths below a folder. */
  private readonly atoms = new Map<string, SimilarAtoms[]>();
  private readonly known = new Set<string>();

  add(atom: string): void {
    if (this.known.has(atom)) return;
    this.known.add(atom);
    WORD.lastIndex = 0;
    const first = WORD.exec(atom);
    if (first === null) return;
    const { index: offset } = first;
    const { length } = atom;
    const groups = this.atoms.get(first[0]) ?? [];
    if (groups.length === 0) this.atoms.set(first[0], groups);
    const group = groups.find((own) => own.offset === offset && own.length === length);
    if (group === undefined) groups.push({ offset, length, atoms: new Set([atom]) });
    else group.atoms.add(atom);
  }

  has(atom: string): boolean {
    return this.known.has(atom);
  }

  occurrencesIn(text: string): Map<string, Occurrence> {
    const found = new Map<string, Occurrence>();
    const words = new RegExp(WORD);
    let [line, lineEnd] = [0, text.indexOf("\n")];
    for (let match = words.exec(text); match !== null; match = words.exec(text)) {
      while (lineEnd >= 0 && match.index > lineEnd) {
        line++;
        lineEnd = text.indexOf("\n", lineEnd + 1);
      }
      for (const { offset, length, atoms } of this.atoms.get(match[0]) ?? []) {
        const start = match.index - offset;
        const end = start + length;
        if (start < 0) continue;
        const atom = text.slice(start, end);
        if (!atoms.has(atom) || (isWord(atom.at(-1)) && isWord(text[end]))) continue;
        const known = found.get(atom);
        if (known === undefined) found.set(atom, { lines: [line], last: end });
        else {
          known.last = end;
          if (known.lines.length < MAX_LINES && known.lines.at(-1) !== line) known.lines.push(line);
        }
      }
    }
    return found;
  }
}

/**
 * Returns the arguments of the calls of a message, in the order of {@link toolPairs}.
 *
 * @internal
 */
export function argumentsOf(message: ChatMessage): unknown[] {
  const parts: readonly TextPart[] = partsOf(message).filter(isCall);
  const all = [...parts.map(({ input, args }) => input ?? args), ...(message.toolCalls ?? []).map(({ args }) => args)];
  return all.map(jsonIn);
}
