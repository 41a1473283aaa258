import { choiceOption, flagOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import { call as callWasm } from "../boundary/wasm.ts";
import type { Message } from "../model/message.ts";
import { toClojure } from "../sandbox/clojure.ts";
import { handleOf, type ToolCall, type Turn } from "../turns/turn.ts";
import { checkStep, type Step } from "./step.ts";

/** Options of {@link formatTrace}. */
export interface TraceOptions {
  /** `turns`: the programs and their results; `compressed`: the messages of the last turn. */
  view?: "turns" | "compressed" | undefined;
  /** Adds the model's unchanged replies. */
  raw?: boolean | undefined;
  /** Adds tokens, durations and compression statistics. */
  usage?: boolean | undefined;
  /** Terminal colours; default false. {@link printTrace} enables them when it writes to a terminal. */
  color?: boolean | undefined;
}

/** Columns of a box without a terminal. */
const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;
/** Minimum width of a nested box. */
const MIN_INNER_WIDTH = 24;

/** Maximum number of lines shown of one text. */
const MAX_LINES = 60;

type Paint = (text: string, style: "dim" | "bold" | "green" | "red" | "yellow") => string;

const COLOR_CODES = { dim: 2, bold: 1, green: 32, red: 31, yellow: 33 } as const;

/**
 * Formats a run as text in boxes of 80 columns.
 *
 * @example
 * ```ts
 * console.log(formatTrace(step, { view: "compressed", usage: true }));
 * ```
 * @throws {TurnfoldError} `invalid_option`; `invalid_argument` for a value that is not a step.
 */
export function formatTrace(step: Step, options: TraceOptions = {}): string {
  return format(step, options, DEFAULT_WIDTH);
}

/**
 * Writes {@link formatTrace} to the console, as wide as the terminal and in colour if there is one.
 *
 * @example
 * ```ts
 * printTrace(step, { usage: true });
 * ```
 */
export function printTrace(step: Step, options: TraceOptions = {}): void {
  const { stdout } = (globalThis as { process?: { stdout?: { isTTY?: boolean; columns?: number } } }).process ?? {};
  const color = options.color ?? stdout?.isTTY === true;
  console.log(format(step, { ...options, color }, stdout?.columns ?? DEFAULT_WIDTH));
}

function format(given: Step, options: TraceOptions, columns: number): string {
  const step = checkStep(given);
  const { view, raw, usage, color } = readOptions("the options of a trace", options, {
    raw: flagOption(false),
    usage: flagOption(false),
    color: flagOption(false),
    view: choiceOption(["turns", "compressed"]),
  } satisfies OptionChecks<TraceOptions>);
  const width = Math.max(MIN_WIDTH, columns);
  const paint: Paint = color ? (text, style) => `\u001B[${COLOR_CODES[style]}m${text}\u001B[0m` : (text) => text;
  const boxes =
    view === "compressed"
      ? step.messages.map((message) => messageBox(message, width, paint))
      : step.turns.map((turn) => turnBox(turn, raw, width, paint));
  boxes.push(resultBox(step, width, paint));
  if (usage) boxes.push(usageBox(step, width, paint));
  return boxes.join("\n");
}

function messageBox({ role, content }: Message, width: number, paint: Paint): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return box(paint(replaceControlCharacters(role), "bold"), [replaceControlCharacters(text)], width, paint);
}

function turnBox(turn: Turn, raw: boolean, width: number, paint: Paint): string {
  const parts: BoxContent[] = [];
  if (raw && turn.rawResponse !== "") parts.push(titledText("reply", turn.rawResponse, paint));
  if (turn.program === null) parts.push(paint("(no program)", "dim"));
  else if (!raw || !turn.rawResponse.includes(turn.program)) parts.push(replaceControlCharacters(turn.program));
  if (turn.toolCalls.length > 0) {
    parts.push(paint("tools:", "dim"));
    const handle = handleOf(turn);
    const texts = callWasm("turns", () => handle.callTexts());
    for (const [index, call] of turn.toolCalls.entries()) {
      parts.push(callText(texts[index] as string, call, paint));
      const inner = Math.max(MIN_INNER_WIDTH, width - 4);
      if (call.step) parts.push({ boxes: call.step.turns.map((nested) => turnBox(nested, raw, inner, paint)) });
    }
  }
  if (turn.prints.length > 0) parts.push(titledText("output", turn.prints.join("\n"), paint));
  const result = turn.success ? valueText(turn.result) : failureText(turn.result);
  parts.push(titledText(turn.success ? "result" : "error", result, paint, turn.success ? "dim" : "red"));
  const title = `${paint(`Turn ${turn.number}`, "bold")} ${turn.success ? paint("ok", "green") : paint("failed", "red")}`;
  return box(title, parts, width, paint);
}

/** Returns a call as in messages, with its duration. */
function callText(text: string, { error, durationMs }: ToolCall, paint: Paint): string {
  const time = durationMs === undefined ? "" : paint(` (${durationText(durationMs)})`, "dim");
  return `${error == null ? replaceControlCharacters(text) : paint(replaceControlCharacters(text), "red")}${time}`;
}

function resultBox({ ok, return: value, fail, waiting }: Step, width: number, paint: Paint): string {
  if (ok) return box(paint("Return", "green"), [replaceControlCharacters(valueText(value, 20))], width, paint);
  if (waiting.length > 0) {
    const lines = waiting.map(({ id, tool, args, reason, path }) =>
      replaceControlCharacters(`${id} ${[...path, tool].join("/")} ${valueText(args)}: ${reason}`),
    );
    return box(paint("Waiting", "yellow"), lines, width, paint);
  }
  return box(paint("Fail", "red"), [replaceControlCharacters(`${fail?.reason}: ${fail?.message}`)], width, paint);
}

function usageBox({ usage }: Step, width: number, paint: Paint): string {
  const { compression } = usage;
  const rows: [string, string][] = [
    ["turns", String(usage.turns)],
    ["tool calls", String(usage.toolCalls)],
    ["time", durationText(usage.durationMs)],
  ];
  if (usage.inputTokens !== undefined) {
    const cached = usage.cacheReadTokens === undefined ? "" : ` (${usage.cacheReadTokens} from the cache)`;
    rows.push(["input tokens", `${usage.inputTokens}${cached}`]);
  }
  if (usage.outputTokens !== undefined) rows.push(["output tokens", String(usage.outputTokens)]);
  rows.push(["compression", compression.enabled ? String(compression.strategy) : "off"]);
  if (compression.enabled) {
    rows.push(["turns compressed", String(compression.turnsCompressed)]);
    rows.push(["calls shown", `${compression.toolCallsShown} of ${compression.toolCallsTotal}`]);
    rows.push(["prints shown", `${compression.printlnsShown} of ${compression.printlnsTotal}`]);
  }
  const lines = rows.map(([name, value]) => `${name.padEnd(18)}${value}`);
  return box(paint("Usage", "bold"), [lines.join("\n")], width, paint);
}

function titledText(title: string, text: string, paint: Paint, style: keyof typeof COLOR_CODES = "dim"): string {
  return `${paint(`${title}:`, style)}\n${replaceControlCharacters(text)}`;
}

function valueText(value: unknown, limit = 5): string {
  return toClojure(value, { limit, printableLimit: 200 }).text;
}

function failureText(result: unknown): string {
  const { message, hint } = Object(result) as { message?: unknown; hint?: unknown };
  return `${String(message)}${typeof hint === "string" ? `\nHint: ${hint}` : ""}`;
}

function durationText(time: number): string {
  return time < 1000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}

/**
 * The content of a box: a text, of which at most `MAX_LINES` lines are shown, or nested boxes, which are shown whole.
 */
type BoxContent = string | { boxes: readonly string[] };

function box(title: string, parts: readonly BoxContent[], width: number, paint: Paint): string {
  const inner = width - 4;
  const [heading = ""] = wrap(title, inner - 2);
  const top = `╭─ ${heading} ${"─".repeat(Math.max(0, width - widthOf(heading) - 5))}╮`;
  const lines = parts.flatMap((part) => {
    const texts = typeof part === "string" ? [part] : part.boxes;
    const wrapped = texts.flatMap((text) => text.split("\n").flatMap((line) => wrap(line, inner)));
    return typeof part === "string" ? limitLines(wrapped) : wrapped;
  });
  const body = lines.map((line) => `│ ${line}${" ".repeat(Math.max(0, inner - widthOf(line)))} │`);
  const bottom = `╰${"─".repeat(width - 2)}╯`;
  return [top, ...body, paint(bottom, "dim")].join("\n");
}

function limitLines(lines: string[]): string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters.
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Replaces terminal codes and direction marks, which programs may print. */
function replaceControlCharacters(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "  ")
    .replace(CONTROL, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\uFFFD";
    });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters.
const COLOR_CODE = /(\u001B\[\d+m)/g;
/** East Asian wide and fullwidth characters, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F1E6}-\u{1F1FF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]|\uFE0F/u;
const NO_WIDTH = /^[\p{M}\p{Cf}]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the range of ASCII.
const ASCII = /^[\u0000-\u007F]*$/;

/** Made on first use, because that takes milliseconds. */
let graphemes: Intl.Segmenter | null = null;

/** Units of text that are segmented at once: each segment takes a time that grows with the whole text. */
const SEGMENTED_UNITS = 1024;

/** Splits a text into the characters that a terminal shows: a base with its marks, a composed emoji. */
function characters(text: string): string[] {
  if (ASCII.test(text)) return [...text];
  graphemes ??= typeof Intl === "object" && "Segmenter" in Intl ? new Intl.Segmenter() : null;
  if (graphemes === null) return [...text];
  const all: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + SEGMENTED_UNITS, text.length);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
    const segments = Array.from(graphemes.segment(text.slice(start, end)), ({ segment }) => segment);
    // The last one may continue after the end.
    if (end < text.length && segments.length > 1) segments.pop();
    for (const segment of segments) {
      all.push(segment);
      start += segment.length;
    }
  }
  return all;
}

function columnsOf(character: string): number {
  return NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Columns of a text on a terminal. */
function widthOf(text: string): number {
  const plain = text.replace(COLOR_CODE, "");
  if (ASCII.test(plain)) return plain.length;
  return characters(plain).reduce((sum, character) => sum + columnsOf(character), 0);
}

function wrap(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let current = "";
  let columns = 0;
  // Colour codes are at the ends of words and have no width.
  for (const piece of line.split(COLOR_CODE)) {
    if (piece.startsWith("\u001B[")) {
      current += piece;
      continue;
    }
    for (const character of characters(piece)) {
      const more = columnsOf(character);
      if (columns + more > width) {
        lines.push(current);
        current = "";
        columns = 0;
      }
      current += character;
      columns += more;
    }
  }
  lines.push(current);
  return lines;
}
