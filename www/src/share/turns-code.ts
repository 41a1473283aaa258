import type { Turn } from "turnfold";
import { pricesFor } from "../custom/ran.ts";
import { samples } from "../custom/samples.ts";
import { outcome, state } from "../states/store.ts";
import { customCode } from "./custom-code.ts";
import { Code, indent, JsWriter, SPREAD } from "./js-text.ts";
import { moduleOf, SHOWN_MESSAGES, testOf } from "./module.ts";
import { NotNow } from "./not-now.ts";

/** A program with the turns and options of the page that prints its messages. */
export function turnsCode(): string {
  const { writer, body } = written();
  return moduleOf(
    writer,
    `${body}
for (const { role, content } of messages) console.log(\`── \${role}\\n\${content}\\n\`);
`,
  );
}

/** A test that the program produces the messages of the page. */
export function turnsTest(): string {
  const { writer, body } = written();
  const expected = outcome.value.frame?.messages.map(({ role, content }) => ({ role, content })) ?? [];
  return testOf(writer, body, SHOWN_MESSAGES, expected);
}

function written(): { readonly writer: JsWriter; readonly body: string } {
  const { turns, options, frame } = outcome.value;
  if (options === null || frame === null) throw new NotNow("Something can’t be read: correct the marked fields first.");
  const writer = new JsWriter("turnfold/turns");
  const { strategy, customStrategy } = state.value;
  const custom = strategy === "custom" ? `${customCode(customStrategy || samples.turns, writer)}\n` : "";
  const own = [new Code("strategy"), { prices: pricesFor(state.value) }];
  const all = custom === "" ? options : { ...options, compression: own };
  const body = `${custom}${historyOf(turns.all, writer)}
const { messages } = ${writer.use("toMessages")}(turns, null, ${writer.members(given(all), 0)});
`;
  return { writer, body };
}

/** The options without defaults. */
function given(options: object): [string, unknown][] {
  const isEmpty = (value: unknown): boolean =>
    value === false || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.entries(options).filter(([name, value]) => name === "compression" || !isEmpty(value));
}

/** Writes the turns. A memory that extends the previous one is written as the difference to it. */
function historyOf(turns: readonly Turn[], writer: JsWriter): string {
  const statements = ["const turns = [];"];
  let known: ReadonlyMap<string, string> | null = null;
  for (const turn of turns) {
    const memory = new Map(Object.entries(turn.memory).map(([name, value]) => [name, writer.value(value, 1)]));
    if (memory.size > 0 || known !== null) {
      const assigned = memoryAfter(known, turn.memory, memory, writer);
      if (assigned !== null) statements.push(`${known === null ? "let " : ""}memory = ${assigned};`);
      known = memory;
    }
    statements.push(turnOf(turn, writer, known !== null));
  }
  return `${statements.join("\n")}\n`;
}

/** The memory of a turn as an object literal; null when it equals the previous one. */
function memoryAfter(
  known: ReadonlyMap<string, string> | null,
  values: Turn["memory"],
  texts: ReadonlyMap<string, string>,
  writer: JsWriter,
): string | null {
  if (known === null) return writer.value(values);
  const changed = [...texts].filter(([name, text]) => known.get(name) !== text).map(([name]) => name);
  const names = [...texts.keys()];
  const joined = [...new Set([...known.keys(), ...changed])];
  // Spreading must keep the order of definitions, which is visible in messages.
  const keepsOrder = joined.length === names.length && joined.every((name, index) => name === names[index]);
  if (!keepsOrder) return writer.value(values);
  if (changed.length === 0) return null;
  return writer.members([[SPREAD, new Code("memory")], ...changed.map((name) => [name, values[name]] as const)], 0);
}

function turnOf(turn: Turn, writer: JsWriter, hasMemory: boolean): string {
  const { number, program, rawResponse, success, result, prints, toolCalls, docs, defined } = turn;
  const init = writer.members(
    [
      ["number", number],
      ["program", program ?? undefined],
      ["rawResponse", isOwnReply(rawResponse, program) ? rawResponse : undefined],
      ["result", result ?? undefined],
      ["prints", prints.length === 0 ? undefined : prints],
      ["toolCalls", toolCalls.length === 0 ? undefined : toolCalls.map(callOf)],
      ["docs", Object.keys(docs).length === 0 ? undefined : docs],
      ["memory", hasMemory ? new Code("memory") : undefined],
      ["defined", hasMemory || (!success && defined.length > 0) ? defined : undefined],
    ],
    1,
  );
  return `turns.push(\n${indent(1)}${writer.use("Turn")}.${success ? "success" : "failure"}(${init}),\n);`;
}

const isOwnReply = (reply: string, program: string | null): boolean =>
  reply !== "" && reply !== `\`\`\`clojure\n${program}\n\`\`\``;

const callOf = ({ name, args, result, error }: Turn["toolCalls"][number]): Record<string, unknown> => ({
  name,
  args: args ?? undefined,
  result: result ?? undefined,
  error: error ?? undefined,
});
