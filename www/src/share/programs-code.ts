import { callObstacle, parameters, SUMMARY_SCRIPT, strategyCount } from "../programs/calling.ts";
import { callParts, read, request, shape, wholeOption } from "../programs/program.ts";
import type { ProgramKind } from "../programs/state.ts";
import { programs } from "../programs/store.ts";
import { isFunctionText } from "../running/answers.ts";
import { readLiteral } from "../running/literal.ts";
import { fieldDescriptionsOf } from "../running/tool-parameters.ts";
import { state } from "../states/store.ts";
import { Code, JsWriter } from "./js-text.ts";
import { moduleOf, SHOWN_MESSAGES, testOf } from "./module.ts";
import { NotNow } from "./not-now.ts";

const classNames: Readonly<Record<ProgramKind, string>> = {
  predict: "Predict",
  chainOfThought: "ChainOfThought",
  react: "ReAct",
};

/** A program that makes the call with the scripted replies and prints its outputs. */
export function programsCode(): string {
  const writer = readableWriter();
  const replies = programs.value.replies.map(({ text }) => text);
  const history = compressionOf(writer);
  const scripted = 'replies.shift() ?? ""';
  const llm =
    history === null
      ? `() => ${scripted}`
      : `({ purpose }) => (purpose === "summary" ? ${writer.value(SUMMARY_SCRIPT)} : ${scripted})`;
  const { statements, inputs } = callOf(writer, new Code("llm"));
  const compressed = history === null ? "" : `, ${writer.members([["history", history]], 0)}`;
  return moduleOf(
    writer,
    `// In place of a model of yours: async ({ messages, signal }) => text
const replies = ${writer.value(replies)};
const llm = ${llm};

${statements}
const outputs = await program.call(${inputs}${compressed});
console.log(outputs);
`,
  );
}

/** A test that the messages of the call are those of the page. No model is asked. */
export function programsTest(): string {
  const writer = readableWriter();
  const { statements, inputs } = callOf(writer);
  const expected = request.value.messages.map(({ role, content }) => ({ role, content }));
  return testOf(writer, `${statements}\nconst messages = program.messages(${inputs});\n`, SHOWN_MESSAGES, expected);
}

/** The messages that a call would send. */
export function programsMessages(): { readonly title: string; readonly text: string } {
  refuseUnreadable();
  const messages = request.value.messages.map(({ role, content }) => `── ${role}\n${content}`);
  return { title: programs.value.signature.replace(/\s+/g, " "), text: messages.join("\n\n") };
}

function readableWriter(): JsWriter {
  refuseUnreadable();
  return new JsWriter("turnfold/predict");
}

function refuseUnreadable(): void {
  if (callObstacle.value !== null) throw new NotNow(callObstacle.value);
}

/** The statements that create the program and its history, and the inputs of the call. */
function callOf(writer: JsWriter, llm?: Code): { readonly statements: string; readonly inputs: string } {
  const { inputs, history, demos } = callParts.value;
  const options = writer.members(optionsOf(writer, demos, llm), 0);
  const args = [writer.value(read.value.given), ...(options === "{}" ? [] : [options])];
  const program = `const program = new ${writer.use(classNames[programs.value.kind])}(${args.join(", ")});\n`;
  const field = shape.value?.history ?? null;
  if (field === null) return { statements: program, inputs: writer.value(inputs) };
  return {
    statements: `${program}const history = new ${writer.use("History")}(${writer.value(history)});\n`,
    inputs: writer.members([...Object.entries(inputs), [field, new Code("history")]], 0),
  };
}

/** The options without defaults. */
function optionsOf(writer: JsWriter, demos: readonly unknown[], llm: Code | undefined): [string, unknown][] {
  const { kind, adapter, instructions } = programs.value;
  const isStepwise = kind === "react";
  return [
    ["tools", isStepwise ? toolsOf(writer) : undefined],
    ["maxSteps", isStepwise ? wholeOption("maxSteps", new Map()) : undefined],
    ["adapter", adapter === "default" ? undefined : adapter],
    ["instructions", instructions.trim() || undefined],
    ["demos", demos.length === 0 ? undefined : demos],
    ["maxRepairs", wholeOption("maxRepairs", new Map())],
    ["llm", llm],
  ];
}

/** The indentation level of a tool's function: inside the tool, the tools and the options. */
const TOOL_DEPTH = 3;

function toolsOf(writer: JsWriter): Readonly<Record<string, unknown>> {
  const named = state.value.tools.filter(({ name }) => name.trim() !== "");
  return Object.fromEntries(
    named.map(({ name, signature, description, parameters, answer }) => [
      name.trim(),
      {
        signature: signature.trim() || undefined,
        description: description || undefined,
        ...fieldDescriptionsOf(parameters),
        run: new Code(answerOf(answer.trim(), writer)),
      },
    ]),
  );
}

/** The code of a tool's answer. A function is not reformatted, because spaces in its template literals matter. */
function answerOf(answer: string, writer: JsWriter): string {
  if (answer === "") return '() => { throw new Error("it has no answer"); }';
  if (!isFunctionText(answer)) return `() => (${writer.value(readLiteral(answer), TOOL_DEPTH)})`;
  const endsInComment = /\/\/.*$/.test(answer);
  return endsInComment ? `${answer}\n` : answer;
}

/** The entry with the strategies, and with the wasm that compresses histories. */
const CHAT = "turnfold/chat";

/** The parameters that compress a long history; null when none are set. */
function compressionOf(writer: JsWriter): Readonly<Record<string, unknown>> | null {
  const { given } = parameters.value;
  if (given === undefined) return null;
  writer.bring(CHAT);
  return { ...given, compressionStrategy: strategyOf(writer) };
}

function strategyOf(writer: JsWriter): Code | undefined {
  const { strategy } = programs.value;
  const made = (...args: readonly unknown[]): Code => new Code(writer.call(strategy, args, 2, CHAT));
  switch (strategy) {
    case "none":
      return undefined;
    case "lastNMessages":
      return made(strategyCount("n", new Map()));
    case "chunked":
      return made(strategyCount("size", new Map()));
    case "wholeHistory":
      return made();
  }
}
