// Tools and objects with schemas of three libraries: what the model reads, what the function gets, and the error that the
// model reads for arguments that do not fit.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { jsonSchema, Output, tool } from "ai";
import { type } from "arktype";
import { Agent, type ForeignTool, Lisp, type LLM, type Message, SubAgent } from "turnfold";
import * as v from "valibot";
import { z } from "zod";

interface Filter {
  state: "open" | "paid";
  year: number;
  near: string | null;
  limit?: number | undefined;
}

/** The arguments of all calls of the tools. */
const calls: Filter[] = [];
const execute = async (filter: Filter) => {
  calls.push(filter);
  return { found: filter.year };
};

const yearOf = (text: string) => Number(text.slice(0, 4));

const tools = {
  zod: tool({
    description: "Find orders",
    inputSchema: z.object({
      state: z.enum(["open", "paid"]).default("open").describe("which orders"),
      year: z.iso.date().transform(yearOf),
      near: z.string().max(40).nullable(),
      limit: z.int().min(1).max(100).optional(),
    }),
    outputSchema: z.object({ found: z.number() }),
    execute,
  }),
  valibot: tool({
    description: "Find orders",
    inputSchema: toStandardJsonSchema(
      v.object({
        state: v.pipe(v.optional(v.picklist(["open", "paid"]), "open"), v.description("which orders")),
        year: v.pipe(v.string(), v.isoDate(), v.transform(yearOf)),
        near: v.nullable(v.pipe(v.string(), v.maxLength(40))),
        limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
      }),
    ),
    execute,
  }),
  arktype: tool({
    description: "Find orders",
    inputSchema: type({
      state: type("'open' | 'paid'").describe("which orders").default("open"),
      year: type("string.date.iso").pipe(yearOf),
      near: "string <= 40 | null",
      "limit?": "1 <= number.integer <= 100",
    }),
    execute,
  }),
};

/** The last message that the model was sent. */
let asked = "";

const textOf = (message: Message | undefined): string => (typeof message?.content === "string" ? message.content : "");

function scripted(...replies: Awaited<ReturnType<LLM>>[]): LLM {
  return ({ messages }) => {
    asked = textOf(messages.at(-1));
    return replies.shift() ?? "(return :ended)";
  };
}

const fits = { year: "2026-05-01", near: null };
const misfits = { state: "closed", year: "2026-05-01", near: null };

/** Returns the arguments that the function got, or the error that the model got. */
async function inChat(find: ForeignTool, args: unknown): Promise<unknown> {
  calls.length = 0;
  const llm = scripted({ content: "", toolCalls: [{ id: "c1", name: "find", args }] }, "done");
  await new Agent({ tools: { find }, llm }).chat("Go");
  return calls[0] ?? asked;
}

async function inProgram(find: ForeignTool, program: string): Promise<unknown> {
  calls.length = 0;
  await new SubAgent({ mission: "Go", tools: { find }, llm: scripted(program) }).run();
  return calls[0] ?? asked.match(/Error: .*/)?.[0];
}

const byLibrary: Record<string, unknown> = {};
for (const [name, find] of Object.entries(tools)) {
  const { messages } = new SubAgent({ mission: "Go", tools: { find }, llm: scripted() }).preview();
  const result = await new Lisp({ tools: { find } }).run('(tool/find {:year "2026-05-01" :near nil})');
  byLibrary[name] = {
    listed: textOf(messages[1]).split("\n\n")[1]?.split("\n").slice(1),
    chat: await inChat(find, fits),
    chatMisfit: await inChat(find, misfits),
    program: await inProgram(find, '(tool/find {:state :paid :year "2026-05-01" :near nil :limit nil})'),
    programMisfit: await inProgram(find, '(tool/find {:year "soon" :near nil})'),
    lisp: result.value,
  };
}

/** The schemas of a request fit the types of the AI SDK. */
export const ask: LLM = ({ schema, tools: offered = [] }) => {
  const ofSdk = offered.map(({ schema }) => tool({ inputSchema: jsonSchema(schema) }));
  const output = schema && Output.object({ schema: jsonSchema(schema) });
  return `${ofSdk.length} ${output}`;
};

// An object has the output type of its schema, and the model is sent the schema.
const schemas: unknown[] = [];
const reply: LLM = ({ schema }) => {
  schemas.push(schema);
  return '{"name": "Ada", "born": "1815-12-10"}';
};
const agent = new Agent({ llm: reply });
const { object: ofZod } = await agent.generateObject(
  "Who?",
  z.object({ name: z.string(), born: z.iso.date().transform(yearOf), tags: z.array(z.string()).default([]) }),
);
const { object: ofValibot } = await agent.generateObject(
  "Who?",
  toStandardJsonSchema(
    v.object({
      name: v.string(),
      born: v.pipe(v.string(), v.transform(yearOf)),
      tags: v.optional(v.array(v.string()), []),
    }),
  ),
);
const { object: ofArkType } = await agent.generateObject(
  "Who?",
  type({ name: "string", born: type("string").pipe(yearOf), tags: type("string[]").default(() => []) }),
);
const years: number[] = [ofZod.born, ofValibot.born, ofArkType.born];
const names: string[] = [ofZod.name, ofValibot.name, ofArkType.name];
const tags: string[][] = [ofZod.tags, ofValibot.tags, ofArkType.tags];

// Valibot's own schemas have no JSON Schema: the error of a call tells the model, and a warning the developer, what to do.
const warnings: string[] = [];
const bare = v.object({ id: v.number() });
const unlisted: ForeignTool = { description: "Find an order", inputSchema: bare, execute: ({ id }) => id + 1 };
const lisp = new Lisp({ tools: { find: unlisted } });
const step = await new SubAgent({
  mission: "Go",
  tools: { find: unlisted },
  llm: scripted('(tool/find {:id "x"})', "(return (tool/find {:id 1}))"),
}).run();
const warned = new Agent({
  tools: { find: unlisted },
  llm: () => '{"id": "x"}',
  onWarning: (text) => warnings.push(text),
});
const refused = await warned.generateObject("Which?", bare).catch(({ message, hint }) => ({ message, hint }));

console.log(
  JSON.stringify({
    byLibrary,
    objects: { years, names, tags, schemas },
    unlisted: {
      line: textOf(step.messagesAt(1)[1]).match(/tool\/find.*/)?.[0],
      error: textOf(step.messagesAt(2).at(-1)).match(/Error: .*/)?.[0],
      result: step.return,
      step: step.warnings,
      lisp: lisp.warnings,
      agent: warnings,
      refused,
    },
  }),
);
