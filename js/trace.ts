import { checkMembers } from "./limits.ts";
import type { Message } from "./message.ts";
import type { Step } from "./step.ts";
import { toClojure } from "./text.ts";
import type { ToolCall, Turn } from "./turn.ts";

/** What {@link formatTrace} shows. */
export interface TraceOptions {
  /** `turns`: the programs and what came of them [DBG-007]; `compressed`: what the model saw for the last one [DBG-009]. */
  view?: "turns" | "compressed";
  /** Adds the model's replies as they were [DBG-008]. */
  raw?: boolean;
  /** Adds tokens, times and what was compressed [DBG-010]. */
  usage?: boolean;
  /** Colours for a terminal; off. {@link printTrace} turns them on where it writes to one. */
  color?: boolean;
}

/** Columns of a box where there is no terminal to measure. */
const WIDTH = 80;
const LEAST_WIDTH = 40;

/** Lines of one text that are shown. */
const MOST_LINES = 60;

type Paint = (text: string, style: "dim" | "bold" | "green" | "red") => string;

const CODES = { dim: 2, bold: 1, green: 32, red: 31 } as const;

/**
 * What happened in a run, as text in boxes.
 *
 * @throws {TurnfoldError} `invalid_option`
 */
export function formatTrace(step: Step, options: TraceOptions = {}): string {
  return format(step, options, WIDTH);
}

/** Writes {@link formatTrace} to the console, as wide as the terminal, in colour where it is one. */
export function printTrace(step: Step, options: TraceOptions = {}): void {
  const { stdout } = (globalThis as { process?: { stdout?: { isTTY?: boolean; columns?: number } } }).process ?? {};
  const color = options.color ?? stdout?.isTTY === true;
  console.log(format(step, { ...options, color }, stdout?.columns ?? WIDTH));
}

function format(step: Step, options: TraceOptions, columns: number): string {
  checkMembers("the options of a trace", options, ["view", "raw", "usage", "color"]);
  const { view = "turns", raw = false, usage = false, color = false } = options;
  const width = Math.max(LEAST_WIDTH, columns);
  const paint: Paint = color ? (text, style) => `\u001B[${CODES[style]}m${text}\u001B[0m` : (text) => text;
  const boxes =
    view === "compressed"
      ? step.messages.map((message) => messageBox(message, width, paint))
      : step.turns.map((turn) => turnBox(turn, raw, width, paint));
  boxes.push(resultBox(step, width, paint));
  if (usage) boxes.push(usageBox(step, width, paint));
  return boxes.join("\n");
}

function messageBox({ role, content }: Message, width: number, paint: Paint): string {
  return box(paint(role, "bold"), [typeof content === "string" ? content : JSON.stringify(content)], width, paint);
}

function turnBox(turn: Turn, raw: boolean, width: number, paint: Paint): string {
  const parts: string[] = [];
  if (raw && turn.rawResponse !== "") parts.push(titled("reply", turn.rawResponse, paint));
  if (turn.program === null) parts.push(paint("(no program)", "dim"));
  else if (!raw || !turn.rawResponse.includes(turn.program)) parts.push(turn.program);
  if (turn.toolCalls.length > 0) {
    parts.push(titled("tools", turn.toolCalls.map((call) => callText(call, raw, width, paint)).join("\n"), paint));
  }
  if (turn.prints.length > 0) parts.push(titled("output", turn.prints.join("\n"), paint));
  const result = turn.success ? shown(turn.result) : failureText(turn.result);
  parts.push(titled(turn.success ? "result" : paint("error", "red"), result, paint));
  const title = `${paint(`Turn ${turn.number}`, "bold")} ${turn.success ? paint("ok", "green") : paint("failed", "red")}`;
  return box(title, parts, width, paint);
}

function callText(
  { name, args, result, error, durationMs, step }: ToolCall,
  raw: boolean,
  width: number,
  paint: Paint,
) {
  const given = Array.isArray(args) ? args.map((value) => shown(value)).join(" ") : args === null ? "" : shown(args);
  const outcome = error == null ? `=> ${shown(result ?? null)}` : `${paint("failed:", "red")} ${error}`;
  const time = durationMs === undefined ? "" : paint(` (${milliseconds(durationMs)})`, "dim");
  const line = `${name}(${given}) ${outcome}${time}`;
  if (step === undefined) return line;
  const inner = Math.max(LEAST_WIDTH, width - 4);
  const nested = step.turns.map((turn) => turnBox(turn, raw, inner, paint));
  return [line, ...nested].join("\n");
}

function resultBox({ ok, return: value, fail }: Step, width: number, paint: Paint): string {
  if (ok) return box(paint("Return", "green"), [shown(value, 20)], width, paint);
  return box(paint("Fail", "red"), [`${fail?.reason}: ${fail?.message}`], width, paint);
}

function usageBox({ usage }: Step, width: number, paint: Paint): string {
  const { compression } = usage;
  const rows: [string, string][] = [
    ["turns", String(usage.turns)],
    ["tool calls", String(usage.toolCalls)],
    ["time", milliseconds(usage.durationMs)],
  ];
  if (usage.inputTokens !== undefined) {
    const cached = usage.cachedTokens === undefined ? "" : ` (${usage.cachedTokens} from the cache)`;
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

function titled(title: string, text: string, paint: Paint): string {
  return `${paint(`${title}:`, "dim")}\n${text}`;
}

function shown(value: unknown, limit = 5): string {
  return toClojure(value, { limit, printableLimit: 200 }).text;
}

function failureText(result: unknown): string {
  const { message, hint } = Object(result) as { message?: unknown; hint?: unknown };
  return `${String(message)}${typeof hint === "string" ? `\nHint: ${hint}` : ""}`;
}

function milliseconds(time: number): string {
  return time < 1000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}

function box(title: string, parts: readonly string[], width: number, paint: Paint): string {
  const inner = width - 4;
  const top = `╭─ ${title} ${"─".repeat(Math.max(0, width - widthOf(title) - 5))}╮`;
  const lines = parts.flatMap((part) => cut(part.split("\n").flatMap((line) => wrap(line, inner))));
  const body = lines.map((line) => `│ ${line}${" ".repeat(Math.max(0, inner - widthOf(line)))} │`);
  const bottom = `╰${"─".repeat(width - 2)}╯`;
  return [top, ...body, paint(bottom, "dim")].join("\n");
}

function cut(lines: string[]): string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CODE = /(\u001B\[\d+m)/g;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const NO_WIDTH = /^[\p{M}\p{Cf}]$/u;

/** Columns of a text on a terminal. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text.replace(CODE, "")) {
    width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  }
  return width;
}

function wrap(line: string, width: number): string[] {
  const plain = line.replaceAll("\t", "  ").replace(/\r/g, "");
  if (widthOf(plain) <= width) return [plain];
  const lines: string[] = [];
  let current = "";
  let columns = 0;
  // Colours stand at the ends of words, and a code has no width of its own.
  for (const piece of plain.split(CODE)) {
    if (piece.startsWith("\u001B[")) {
      current += piece;
      continue;
    }
    for (const character of piece) {
      const more = widthOf(character);
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
