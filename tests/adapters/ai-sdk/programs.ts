// One tool that runs programs, in strictly typed apps: streams, parallel calls, aborts, and histories that were shortened.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generateText,
  type InferUITools,
  jsonSchema,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { type ProgramTool, programTool, TurnfoldError } from "turnfold";
import { turnfoldMiddleware, turnfoldPrepareStep } from "turnfold/adapters/ai-sdk";
import { lastNMessages } from "turnfold/chat";
import * as v from "valibot";
import { z } from "zod";
import { languageModel, type Request } from "../language-model.js";

const stopWhen = stepCountIs(12);

/** A model that writes these programs, each reply a list of them, and then ends. */
function writing(...replies: string[][]) {
  let at = 0;
  return languageModel(({ prompt }) => {
    if (JSON.stringify(prompt).includes("You write the memory")) return "They looked at orders.";
    const number = at++;
    const programs = replies[number];
    if (programs === undefined) return "Done.";
    return { calls: programs.map((program, index) => [`call_${number}_${index}`, "run_program", { program }]) };
  });
}

/** What the model read of its programs, as it is in its newest request. */
const outputs = (requests: Request[]): string[] =>
  (requests.at(-1)?.prompt ?? []).flatMap(({ role, content }) =>
    role !== "tool"
      ? []
      : content.flatMap((part) =>
          part.type === "tool-result" && "value" in part.output ? [String(part.output.value)] : [],
        ),
  );

function shop() {
  const made: string[] = [];
  const tools = {
    search: tool({
      inputSchema: z.object({ query: z.string() }),
      execute: async ({ query }) => {
        made.push(`search ${query}`);
        return [{ order: 17, euros: 20 }];
      },
      toModelOutput: () => ({ type: "text", value: "one order" }),
    }),
    count: tool({
      inputSchema: v.object({ list: v.array(v.any()) }) as never,
      execute: async ({ list }: { list: unknown[] }) => list.length,
    }),
    slow: tool({
      inputSchema: jsonSchema<{ ms?: number }>({ type: "object", properties: { ms: { type: "number" } } }),
      execute: (_, { abortSignal }) =>
        new Promise<string>((_resolve, reject) => {
          made.push("slow");
          abortSignal?.addEventListener("abort", () => reject(new Error("it was stopped")));
        }),
    }),
  };
  return { made, tools };
}

test("it is a tool of the AI SDK for generateText, streamText and agents, beside others", async () => {
  const { tools } = shop();
  const run_program: ProgramTool = programTool(tools);
  const all = { run_program, search: tools.search } satisfies ToolSet;
  type Parts = InferUITools<typeof all>;
  const input: Parts["run_program"]["input"] = { program: "1" };
  const output: Parts["run_program"]["output"] = "a text";
  assert.ok(input.program !== output);
  const message: UIMessage<unknown, Record<string, never>, Parts> = { id: "1", role: "assistant", parts: [] };
  assert.equal(message.parts.length, 0);
  const program = ['(count (tool/search {:query "lamp"}))'];
  const generating = writing(program);
  const { text, steps } = await generateText({ model: generating.model, prompt: "Go.", tools: all, stopWhen });
  assert.equal(text, "Done.");
  const [call] = steps[0]?.toolCalls ?? [];
  if (call?.toolName === "run_program" && !call.dynamic) assert.equal(call.input.program, program[0]);
  const [result] = steps[0]?.toolResults ?? [];
  if (result?.toolName === "run_program" && !result.dynamic) assert.match(result.output, /;; Value:\n1$/);
  const agent = new ToolLoopAgent({ model: writing(program).model, tools: all, stopWhen });
  assert.equal((await agent.generate({ prompt: "Go." })).text, "Done.");
  const streamed = streamText({ model: writing(program).model, prompt: "Go.", tools: all, stopWhen });
  assert.equal(await streamed.text, "Done.");
});

test("programs get the results themselves, and arguments are validated by schemas of any library", async () => {
  const { tools } = shop();
  const { model, requests } = writing([
    '(def orders (tool/search {:query "lamp"}))',
    "[(tool/count {:list orders}) (:euros (first orders))]",
    "(tool/search {:query 17})",
  ]);
  await generateText({ model, prompt: "Go.", tools: { run_program: programTool(tools) }, stopWhen });
  const [, both, refused] = outputs(requests);
  assert.match(both ?? "", /;; Value:\n\[1 20\]$/);
  assert.match(refused ?? "", /search.*query/s);
});

test("parallel programs of a streamed reply run in its order, each once", async () => {
  const { made, tools } = shop();
  const { model, requests } = writing(
    ['(def orders (tool/search {:query "lamp"}))', "(def n (count orders))"],
    ["(+ n 1)"],
  );
  const result = streamText({ model, prompt: "Go.", tools: { run_program: programTool(tools) }, stopWhen });
  assert.equal(await result.text, "Done.");
  assert.deepEqual(made, ["search lamp"]);
  assert.equal(outputs(requests).at(-1), ";; Value:\n2");
});

test("an abort reaches the tool of a program, and the program ends", async () => {
  for (const ask of [generateText, streamText]) {
    const { made, tools } = shop();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    const begun = Date.now();
    const given = { model: writing(["(tool/slow {})"], ["(count *calls)"]).model, prompt: "Go.", stopWhen };
    const running = ask({ ...given, tools: { run_program: programTool(tools) }, abortSignal: abort.signal });
    await Promise.resolve("consumeStream" in running ? running.consumeStream() : running).catch(() => {});
    assert.ok(Date.now() - begun < 2000);
    assert.deepEqual(made, ["slow"]);
  }
});

test("definitions are found when prepareStep or a middleware has shortened the messages", async () => {
  const programs = Array.from({ length: 9 }, (_, index) => [index === 0 ? "(def n 1)" : "(def n (inc n))"]);
  for (const kind of ["prepareStep", "middleware"]) {
    const { tools } = shop();
    const options = { compressionStrategy: lastNMessages(2), maxHistorySize: 4, onWarning: () => {} };
    const { model, requests } = writing(...programs);
    const run_program = programTool(tools);
    const result = await generateText({
      model: kind === "middleware" ? wrapLanguageModel({ model, middleware: turnfoldMiddleware(options) }) : model,
      prompt: "Count.",
      tools: { run_program },
      stopWhen,
      ...(kind === "middleware" ? {} : { prepareStep: turnfoldPrepareStep(options) }),
    });
    assert.equal(result.text, "Done.");
    assert.ok(Math.max(...requests.map(({ prompt }) => prompt.length)) < 10, kind);
    assert.match(outputs(requests).at(-1) ?? "", /^n +; = integer, sample: 9$/m);
  }
});

test("a route that names the conversation keeps definitions when no earlier program is sent", async () => {
  const store = new Map<string, unknown>();
  for (const [chat, program, expected] of [
    ["one", "(def n 1)", /sample: 1/],
    ["one", "n", /;; Value:\n1$/],
    ["two", "n", /`n` is not defined/],
  ] as const) {
    const { model, requests } = writing([program]);
    const run_program = programTool(shop().tools, { store, conversation: () => chat });
    await generateText({ model, prompt: "Go.", tools: { run_program }, stopWhen });
    assert.match(outputs(requests).at(-1) ?? "", expected);
  }
});

test("a tool that its provider runs is refused when the program tool is made", () => {
  const search = { type: "provider", id: "openai.web_search", args: {}, inputSchema: z.object({}) };
  for (const given of [search, { ...search, isProviderExecuted: true }]) {
    assert.throws(
      () => programTool({ search: given as never }),
      (error: unknown) => {
        assert.ok(TurnfoldError.isInstance(error));
        assert.equal(error.code, "invalid_tool");
        assert.match(error.message, /"?search"? .*provider/);
        return true;
      },
    );
  }
});
