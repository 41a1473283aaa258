import { isFunctionText } from "../answers.ts";
import { readLiteral } from "../literal.ts";
import { state } from "../store.ts";
import { parameters, SUMMARY_SCRIPT } from "./calling.ts";
import { callParts, read, shape } from "./program.ts";
import type { ProgramKind, ProgramsState } from "./state.ts";
import { programs } from "./store.ts";

const classNames: Readonly<Record<ProgramKind, string>> = {
  predict: "Predict",
  chainOfThought: "ChainOfThought",
  react: "ReAct",
};

/** A module that makes the call of the page as it stands, with the scripted replies in the place of a model. */
export function callAsCode(): string {
  const { kind, strategy, options, replies } = programs.value;
  const { inputs, history, demos } = callParts.value;
  const field = shape.value?.history ?? null;
  const isCompressed = parameters.value.given !== undefined;
  const name = classNames[kind];
  const imports = [
    ...(field === null ? [] : ["History"]),
    name,
    ...(isCompressed && strategy !== "none" ? [strategy] : []),
  ].sort((left, right) => left.localeCompare(right));
  const scripted = 'replies.shift() ?? ""';
  const llm = isCompressed
    ? `({ purpose }) => (purpose === "summary" ? ${literal(SUMMARY_SCRIPT)} : ${scripted})`
    : `() => ${scripted}`;
  const given = { ...inputs, ...(field === null ? {} : { [field]: new Verbatim("history") }) };
  const call = [literal(given), ...(isCompressed ? [`{ history: ${parametersAsCode(strategy, options)} }`] : [])];
  return [
    `import { ${imports.join(", ")} } from "turnfold";`,
    `// In place of a model of yours: async ({ messages, signal }) => text\nconst replies = ${literal(replies.map(({ text }) => text))};\nconst llm = ${llm};`,
    `const program = new ${name}(${literal(read.value.given)}, ${literal(programOptions(demos))});`,
    ...(field === null ? [] : [`const history = new History(${literal(history)});`]),
    `const outputs = await program.call(${call.join(", ")});\nconsole.log(outputs);\n`,
  ].join("\n\n");
}

function programOptions(demos: readonly unknown[]): Readonly<Record<string, unknown>> {
  const { kind, adapter, instructions, options } = programs.value;
  const number = (text: string): object | null => (text.trim() === "" ? null : new Verbatim(text.trim()));
  const all = {
    tools: kind === "react" ? toolsAsCode() : null,
    maxSteps: kind === "react" ? number(options.maxSteps) : null,
    adapter: adapter === "default" ? null : adapter,
    instructions: instructions.trim() === "" ? null : instructions.trim(),
    demos: demos.length === 0 ? null : demos,
    maxRepairs: number(options.maxRepairs),
    llm: new Verbatim("llm"),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function toolsAsCode(): Readonly<Record<string, unknown>> {
  const named = state.value.tools.filter(({ name }) => name.trim() !== "");
  return Object.fromEntries(
    named.map(({ name, signature, description, answer }) => [
      name.trim(),
      {
        ...(signature.trim() === "" ? {} : { signature: signature.trim() }),
        ...(description === "" ? {} : { description }),
        run: new Verbatim(answerAsCode(answer.trim())),
      },
    ]),
  );
}

function answerAsCode(answer: string): string {
  if (answer === "") return '() => {\n  throw new Error("it has no answer");\n}';
  return isFunctionText(answer) ? answer : `() => (${literal(readLiteral(answer))})`;
}

function parametersAsCode(strategy: ProgramsState["strategy"], options: ProgramsState["options"]): string {
  const { given = {} } = parameters.value;
  const count = { lastNMessages: options.n || "20", chunked: options.size || "10", wholeHistory: "", none: "" }[
    strategy
  ];
  const { compressionStrategy, ...limits } = given;
  const made = compressionStrategy === undefined ? {} : { compressionStrategy: new Verbatim(`${strategy}(${count})`) };
  return literal({ ...made, ...limits });
}

/** Code that stands in a literal as it is. */
class Verbatim {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

/** A value as JavaScript. Names that need no quotes have none. */
function literal(value: unknown, indent = ""): string {
  if (value instanceof Verbatim) return value.code.replaceAll("\n", `\n${indent}`);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => literal(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => {
          // A name in brackets is an own member whatever it is.
          const key =
            name === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
          const text = literal(member, inner);
          return text === key ? key : `${key}: ${text}`;
        });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const line = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (!line.includes("\n") && indent.length + line.length <= 90) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}
