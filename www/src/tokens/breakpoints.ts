import type { SectionKind } from "turnfold";
import type { RenderedMessage } from "../turns/render.ts";
import type { Shared } from "./shared.ts";

/** A place where a request to Anthropic can mark everything before it for caching. */
export interface Breakpoint {
  /** Index of the message. */
  readonly message: number;
  /** Offset in its content in UTF-16 units: a section or the message ends here. */
  readonly offset: number;
  /** The section that ends here; null at the end of a message. */
  readonly kind: SectionKind | null;
  readonly reason: "system" | "stable" | "shared" | "grows";
}

const stableKinds: ReadonlySet<SectionKind> = new Set(["system", "mission", "tool", "data", "expected"]);

/**
 * The positions at which a cache mark in a request pays: after the system message, which all runs share; at the last end of a
 * section that the previous call shares (before the first turn: that the next call will share); and at the end when the request
 * contains all messages of the previous call. These are at most three, and a request may have four.
 */
export function breakpointsOf(messages: readonly RenderedMessage[], shared: Shared | null): Breakpoint[] {
  const found: Breakpoint[] = [];
  const add = (breakpoint: Breakpoint | null): void => {
    if (breakpoint === null) return;
    const { message, offset } = breakpoint;
    if (!found.some((other) => other.message === message && other.offset === offset)) found.push(breakpoint);
  };
  const [first] = messages;
  if (first?.role === "system" && (shared === null || shared.messages > 0)) add(endOf(messages, 0, "system"));
  add(shared === null ? lastShared(messages, stableStart(messages), "stable") : lastShared(messages, shared, "shared"));
  if (shared?.behind === "continues" || shared?.behind === "nothing")
    add(endOf(messages, messages.length - 1, "grows"));
  return found;
}

function endOf(messages: readonly RenderedMessage[], index: number, reason: Breakpoint["reason"]): Breakpoint | null {
  const message = messages[index];
  return message === undefined ? null : { message: index, offset: message.content.length, kind: null, reason };
}

/** The end of the sections whose kinds are the same in all turns. */
function stableStart(messages: readonly RenderedMessage[]): Pick<Shared, "messages" | "units"> {
  let units = 0;
  for (const [index, { sections }] of messages.entries()) {
    units = 0;
    for (const { kind, text } of sections) {
      if (kind !== "separator" && !stableKinds.has(kind)) return { messages: index, units };
      units += text.length;
    }
    if (sections.length === 0) return { messages: index, units: 0 };
  }
  return { messages: messages.length, units: 0 };
}

function lastShared(
  messages: readonly RenderedMessage[],
  shared: Pick<Shared, "messages" | "units">,
  reason: Breakpoint["reason"],
): Breakpoint | null {
  let end = 0;
  let last: { readonly offset: number; readonly kind: SectionKind } | null = null;
  for (const { kind, text } of messages[shared.messages]?.sections ?? []) {
    end += text.length;
    if (end > shared.units) break;
    if (kind !== "separator") last = { offset: end, kind };
  }
  if (last === null) return shared.messages === 0 ? null : endOf(messages, shared.messages - 1, reason);
  return { message: shared.messages, ...last, reason };
}

interface Block {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: { readonly type: "ephemeral" };
}

/** The request in Anthropic's format with these marks. */
export function markedRequest(
  messages: readonly RenderedMessage[],
  breakpoints: readonly Breakpoint[],
): { system: Block[]; messages: { role: string; content: Block[] }[] } {
  const marked = messages.map(({ role, content }, index) => ({
    role,
    content: blocksOf(
      content,
      breakpoints.filter(({ message }) => message === index).map(({ offset }) => offset),
    ),
  }));
  return {
    system: marked.filter(({ role }) => role === "system").flatMap(({ content }) => content),
    messages: marked.filter(({ role }) => role !== "system"),
  };
}

function blocksOf(text: string, ends: readonly number[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (const end of [...ends].sort((a, b) => a - b)) {
    blocks.push({ type: "text", text: text.slice(start, end), cache_control: { type: "ephemeral" } });
    start = end;
  }
  if (start < text.length) blocks.push({ type: "text", text: text.slice(start) });
  return blocks;
}
