import { counted, formatted } from "../page/numbers.ts";
import { parsedJson } from "../page/problem.ts";

// A link of some hundred characters may unpack to a state that would freeze the tab. These limits are for states from others:
// links, and states that the host of a frame sends. States made on this page have no limits.

/** The maximum number of bytes that a link may unpack to: enough for a thousand turns, and a crafted link can't exhaust the memory. */
export const MAX_BYTES = 16 * 1024 * 1024;

export const TOO_LARGE = "it has more than 16 MB, and a link may have no more";

/** The maximum number of rows of a list, by the name of the list. */
const MAX_ROWS: Readonly<Record<string, { readonly max: number; readonly one: string }>> = {
  turns: { max: 10_000, one: "turn" },
  replies: { max: 10_000, one: "reply" },
  tools: { max: 1000, one: "tool" },
  fields: { max: 1000, one: "field" },
  prints: { max: 1000, one: "print" },
  calls: { max: 1000, one: "call" },
  functions: { max: 1000, one: "function" },
  concepts: { max: 200, one: "concept" },
  summaries: { max: 10_000, one: "summary" },
  demos: { max: 1000, one: "demo" },
  history: { max: 1000, one: "earlier turn" },
  descriptions: { max: 1000, one: "description" },
  inputs: { max: 1000, one: "input" },
  values: { max: 1000, one: "value" },
};

/** The maximum number of rows of all lists together. */
const MAX_ROWS_IN_ALL = 100_000;

/** The maximum number of levels of a state: those of `programs.demos[0].values[0].text`, and some more. */
const MAX_LEVELS = 10;

/** The maximum number of messages of the Chat tab. */
const MAX_MESSAGES = 50_000;

/** The maximum number of characters of a text, except `LONG_TEXTS`, which no field shows as a whole. */
const MAX_CHARACTERS = 1_000_000;

const LONG_TEXTS: ReadonlySet<string> = new Set(["messages", "memory", "result", "args", "data"]);

/** `excessOf` for the JSON text of a saved state, whose size is limited too. */
export const excessOfText = (text: string): string | null =>
  new Blob([text]).size > MAX_BYTES ? TOO_LARGE : excessOf(JSON.parse(text) as unknown);

/** The limit that a saved state exceeds, as a sentence without a full stop; null when it exceeds none. */
export function excessOf(saved: unknown): string | null {
  let rows = 0;
  const inside = (value: unknown, name: string, depth: number): string | null => {
    if (typeof value === "string") {
      if (value.length <= MAX_CHARACTERS || LONG_TEXTS.has(name)) return null;
      return excessText(`a text (${name}) of ${counted(value.length, "character")}`, MAX_CHARACTERS);
    }
    // Deeper values are not read.
    if (typeof value !== "object" || value === null || depth > MAX_LEVELS) return null;
    if (!Array.isArray(value)) {
      for (const [member, of] of Object.entries(value)) {
        const excess = inside(of, member, depth + 1);
        if (excess !== null) return excess;
      }
      return null;
    }
    const limit = MAX_ROWS[name];
    if (limit !== undefined && value.length > limit.max) return excessText(plural(value.length, limit.one), limit.max);
    rows += value.length;
    if (rows > MAX_ROWS_IN_ALL) return excessText(`more than ${counted(MAX_ROWS_IN_ALL, "row")} in its lists`, null);
    for (const item of value) {
      const excess = inside(item, name, depth + 1);
      if (excess !== null) return excess;
    }
    return null;
  };
  return inside(saved, "state", 0) ?? excessOfMessages(saved);
}

function excessOfMessages(saved: unknown): string | null {
  const { chat } = Object(saved) as { readonly chat?: unknown };
  const { messages } = Object(chat) as { readonly messages?: unknown };
  if (typeof messages !== "string" || messages.length < MAX_MESSAGES) return null;
  // JSON, or one message a line.
  const json = parsedJson(messages) ?? messages.split("\n").filter((line) => line.startsWith("{"));
  const { length } = listIn(json);
  return length > MAX_MESSAGES ? excessText(counted(length, "message"), MAX_MESSAGES) : null;
}

function listIn(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  const lists = Object.values(Object(json) as object).filter(Array.isArray) as (readonly unknown[])[];
  return lists.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

const plural = (count: number, one: string): string =>
  one.endsWith("y") && count !== 1 ? counted(count, one).replace(/ys$/, "ies") : counted(count, one);

const excessText = (what: string, max: number | null): string =>
  `it has ${what}, and a link may have ${max === null ? "no more" : formatted(max)}`;
