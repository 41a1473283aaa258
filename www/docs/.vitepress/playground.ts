// Links that open a program of a document in the playground.

import { runInNewContext } from "node:vm";
import { deflateRawSync } from "node:zlib";

/** The address, relative to the root of the site, that opens the playground with this state on this tab. */
const link = (state: object, tab: string): string =>
  `index.html#v1=${deflateRawSync(JSON.stringify(state)).toString("base64url")}&tab=${tab}`;

/** The address that opens a code block in the playground; null for a program that the playground can't open. */
export function linkOf(language: string, program: string): string | null {
  if (language === "clojure") return link({ program }, "repl");
  const programs = /^(js|ts)$/.test(language) ? typedCall(program) : null;
  return programs === null ? null : link({ programs }, "programs");
}

const kinds: Readonly<Record<string, string>> = { Predict: "predict", ChainOfThought: "chainOfThought" };

/**
 * The typed call of a JavaScript program as a state of the Programs tab: its signature, and its inputs, demos and reply if they
 * are literals. Null when the program has no call or several, or a call with tools: a state holds no functions.
 */
function typedCall(program: string): object | null {
  const made = [...program.matchAll(/new (Predict|ChainOfThought|ReAct)\(\s*(?=["'`])/g)];
  const [first] = made;
  const kind = first === undefined ? undefined : kinds[first[1]];
  if (made.length !== 1 || first === undefined || kind === undefined) return null;
  const signature = literalAt(program, first.index + first[0].length);
  if (typeof signature !== "string") return null;
  const after = (pattern: RegExp): unknown => {
    const found = pattern.exec(program);
    return found === null ? undefined : literalAt(program, found.index + found[0].length);
  };
  const [demos, instructions, adapter, reply] = [
    after(/\bdemos:\s*(?=\[)/),
    after(/\binstructions:\s*(?=["'`])/),
    after(/\badapter:\s*(?=["'`])/),
    after(/\bllm(?: =|:)\s*(?:async )?\(\) => (?=["'`])/),
  ];
  return {
    kind,
    signature,
    inputs: cellsOf(after(/\.(?:call|run|messages)\((?=\{)/)),
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...(typeof adapter === "string" ? { adapter } : {}),
    ...(Array.isArray(demos) ? { demos: demos.map((demo) => ({ values: cellsOf(demo) })) } : {}),
    ...(typeof reply === "string" ? { replies: [reply] } : {}),
  };
}

const cellsOf = (values: unknown): { readonly name: string; readonly text: string }[] =>
  Object.entries(values ?? {}).map(([name, value]) => ({
    name,
    text: typeof value === "string" ? value : JSON.stringify(value),
  }));

/** The value of the literal that begins at an offset; null for an expression with names. */
function literalAt(program: string, start: number): unknown {
  const opening = program[start] as string;
  const closing = { "{": "}", "[": "]" }[opening] ?? opening;
  for (let end = program.indexOf(closing, start + 1); end >= 0; end = program.indexOf(closing, end + 1)) {
    try {
      return runInNewContext(`(${program.slice(start, end + 1)})`, Object.create(null), { timeout: 100 }) as unknown;
    } catch {
      // The literal ends later, or the expression is not a literal.
    }
  }
  return null;
}
