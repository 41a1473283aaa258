// One tool of many in the loops of the frameworks, with their own tools and fake models.

import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { OpenTelemetry } from "@ai-sdk/otel";
import { context as activeContext } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import * as ai6 from "ai";
import * as test6 from "ai/test";
import * as ai7 from "ai-7";
import * as test7 from "ai-7/test";
import { z } from "zod";
import { programTool } from "../../dist/index.js";
import { chatPage } from "./chat-page.mjs";

/** Tools of a framework, and what they were called with. */
function shop(tool) {
  const made = [];
  const noted = (name, result) => async (input, options) => {
    made.push({ name, input, options });
    return result(input);
  };
  return {
    made,
    tools: {
      search: tool({
        description: "Finds orders.",
        inputSchema: z.object({ query: z.string() }),
        execute: noted("search", ({ query }) => [
          { order: 17, what: query, euros: 20 },
          { order: 23, what: query, euros: 900 },
        ]),
      }),
      refund: tool({
        description: "Refunds an order.",
        inputSchema: z.object({ order: z.number(), euros: z.number() }),
        needsApproval: ({ euros }) => euros > 50,
        execute: noted("refund", ({ order }) => `refunded ${order}`),
      }),
    },
  };
}

for (const [name, ai, testing] of [
  ["AI SDK 6", ai6, test6],
  ["AI SDK 7", ai7, test7],
]) {
  suite(`programs in the loop of the ${name}`, () => {
    const isThird = name.endsWith("6");
    const Model = isThird ? testing.MockLanguageModelV3 : testing.MockLanguageModelV4;
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    /** A model that writes these programs, each reply a list of them, and then says what it read last. */
    function writing(...replies) {
      const prompts = [];
      const reply = (prompt) => {
        const at = prompts.push(prompt) - 1;
        const programs = replies[at];
        const content =
          programs === undefined
            ? [{ type: "text", text: "Done." }]
            : programs.map((program, index) => ({
                type: "tool-call",
                toolCallId: `call_${at}_${index}`,
                toolName: "run_program",
                input: JSON.stringify({ program }),
              }));
        const unified = programs === undefined ? "stop" : "tool-calls";
        return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
      };
      const chunks = ({ content, finishReason }) => [
        { type: "stream-start", warnings: [] },
        ...content.flatMap((part) =>
          part.type === "text"
            ? [
                { type: "text-start", id: "t" },
                { type: "text-delta", id: "t", delta: part.text },
                { type: "text-end", id: "t" },
              ]
            : [part],
        ),
        { type: "finish", finishReason, usage },
      ];
      const model = new Model({
        doGenerate: async ({ prompt }) => reply(prompt),
        doStream: async ({ prompt }) => ({ stream: ReadableStream.from(chunks(reply(prompt))) }),
      });
      return { model, prompts };
    }
    const read = (prompt) =>
      prompt.flatMap(({ role, content }) => (role === "tool" ? content.map(({ output }) => output) : []));
    const refunds =
      '(def orders (tool/search {:query "lamp"})) (pmap #(tool/refund (select-keys % [:order :euros])) orders)';
    const until = ai.isStepCount === undefined ? ai.stepCountIs(8) : ai.isStepCount(8);

    test("calls the tools, keeps definitions, and gives each tool the caller's context", async () => {
      const { tools, made } = shop(ai.tool);
      const { model, prompts } = writing(
        ['(def orders (tool/search {:query "lamp"}))'],
        ["(sum-by :euros orders)", "(def n (count orders))"],
        ["[n (nope)]"],
        ["n"],
      );
      const context = { user: "ann" };
      const result = await ai.generateText({
        model,
        prompt: "Look.",
        tools: { run_program: programTool(tools) },
        stopWhen: until,
        experimental_context: context,
        runtimeContext: context,
      });
      assert.equal(result.text, "Done.");
      const outputs = read(prompts.at(-1));
      assert.match(
        outputs[0].value,
        /^;; === user\/ \(your prelude\) ===\norders +; = list\[2\], sample: \[\{:euros 20/,
      );
      assert.equal(outputs[1].value, ";; Value:\n920");
      assert.equal(outputs[3].type, "error-text");
      assert.match(outputs[3].value, /^Error: `nope` is not defined/);
      assert.equal(outputs[4].value, ";; Value:\n2");
      assert.equal(made.length, 1);
      const [{ options }] = made;
      assert.equal(options.toolCallId, "call_0_0/0");
      assert.equal(options.messages.at(-1).content[0].text ?? options.messages.at(-1).content, "Look.");
      if (isThird) assert.deepEqual(options.experimental_context, context);
    });

    test("an approval of the program lets its waiting calls go on, after a restart too", async () => {
      const store = new Map();
      const first = shop(ai.tool);
      const asking = writing([refunds]);
      const waiting = [];
      const messages = [{ role: "user", content: "Refund them." }];
      const run_program = programTool(first.tools, { store, onWaiting: (each) => waiting.push(each) });
      const asked = await ai.generateText({ model: asking.model, messages, tools: { run_program }, stopWhen: until });
      const request = asked.content.find(({ type }) => type === "tool-approval-request");
      assert.equal(request.toolCall.toolCallId, "call_0_0");
      assert.deepEqual(
        waiting.map(({ toolCallId, waiting: calls }) => [
          toolCallId,
          calls.map(({ tool, args }) => [tool, args.order]),
        ]),
        [["call_0_0", [["refund", 23]]]],
      );
      assert.deepEqual(
        first.made.map(({ name: tool, input }) => [tool, input.order]),
        [
          ["search", undefined],
          ["refund", 17],
        ],
      );
      messages.push(...asked.response.messages, {
        role: "tool",
        content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
      });
      // Another process: the store is all that it has, as JSON.
      const later = new Map(JSON.parse(JSON.stringify([...store])));
      const second = shop(ai.tool);
      const going = writing();
      const tools = { run_program: programTool(second.tools, { store: later }) };
      await ai.generateText({ model: going.model, messages, tools, stopWhen: until });
      assert.deepEqual(
        second.made.map(({ name: tool, input, options }) => [tool, input.order, options.toolCallId]),
        [["refund", 23, "call_0_0/2"]],
      );
      assert.match(read(going.prompts[0])[0].value, /\["refunded 17" "refunded 23"\]/);
    });

    /** A page whose server makes its tools for each request, and keeps nothing but a store. */
    function page(model, beforeRun = async () => {}, conversation = undefined) {
      const rows = new Map();
      const store = {
        get: async (key) => JSON.parse(rows.get(key) ?? "null"),
        set: async (key, value) => void rows.set(key, JSON.stringify(value)),
        delete: async (key) => void rows.delete(key),
      };
      const made = [];
      const chat = chatPage(ai, async (messages) =>
        ai.createUIMessageStream({
          originalMessages: messages,
          execute: async ({ writer }) => {
            const onWaiting = ({ toolCallId: id, waiting }) =>
              writer.write({ type: "data-waiting", id, data: waiting });
            const { tools, made: own } = shop(ai.tool);
            const run_program = programTool(tools, { store, onWaiting, conversation });
            await beforeRun(run_program, messages);
            const sent = await ai.convertToModelMessages(messages);
            const result = ai.streamText({ model, messages: sent, tools: { run_program }, stopWhen: until });
            writer.merge(result.toUIMessageStream({ originalMessages: messages, onError: ({ message }) => message }));
            await result.consumeStream();
            made.push(...own.map(({ name: tool, input }) => [tool, input.order].filter(Boolean).join(" ")));
          },
        }),
      );
      return { chat, made };
    }

    test("a page shows the open calls, and a person approves the program", async () => {
      const { model, prompts } = writing([refunds], ["(count orders)"]);
      const { chat, made } = page(model);
      await chat.say("Refund them.");
      assert.deepEqual(
        chat.parts().map(({ type, state, data }) => [type, state ?? data.map(({ tool, args }) => [tool, args.order])]),
        [
          ["tool-run_program", "approval-requested"],
          ["data-waiting", [["refund", 23]]],
        ],
      );
      assert.deepEqual(made, ["search", "refund 17"]);
      await chat.decide(true);
      assert.equal(chat.text(), "Done.");
      assert.deepEqual(made, ["search", "refund 17", "refund 23"]);
      assert.match(read(prompts.at(-1))[0].value, /\["refunded 17" "refunded 23"\]$/);
      assert.equal(read(prompts.at(-1))[1].value, ";; Value:\n2");
    });

    test("a person denies the program, and the next one reads what it had done", async () => {
      const { model, prompts } = writing([refunds], ["(count *calls)"]);
      const { chat, made } = page(model);
      await chat.say("Refund them.");
      await chat.decide(false, "Not today.");
      assert.deepEqual(made, ["search", "refund 17"]);
      const [denied, next] = read(prompts.at(-1));
      assert.deepEqual([denied.type, denied.reason], ["execution-denied", "Not today."]);
      assert.match(next.value, /^The program before was not approved:\n[\s\S]*"refunded 17"[\s\S]*;; Value:\n3$/);
    });

    test("each call is answered by itself, and a second wave asks again", async () => {
      const two =
        "(def a (tool/refund {:order 1 :euros 100})) (def b (pmap #(tool/refund {:order % :euros 100}) [2 3])) [a b]";
      const { model, prompts } = writing([two], ["(resume)"]);
      let wave = 0;
      const answerEach = async (run_program, messages) => {
        for (const { state, toolCallId } of messages.at(-1).parts) {
          if (state !== "approval-responded") continue;
          const [first, second] = await run_program.waiting(toolCallId, "chat-1");
          wave++;
          const edited = { [first.id]: { args: { order: first.args.order, euros: 5 } } };
          await run_program.answer(
            toolCallId,
            second === undefined ? edited : { ...edited, [second.id]: { result: "kept" } },
            "chat-1",
          );
        }
      };
      const { chat, made } = page(model, answerEach, () => "chat-1");
      await chat.say("Refund them.");
      await chat.decide(true);
      await chat.decide(true);
      assert.equal(wave, 2);
      assert.equal(chat.text(), "Done.");
      assert.deepEqual(made, ["refund 1", "refund 2"]);
      assert.match(read(prompts.at(-1)).at(-1).value, /\["refunded 1" \["refunded 2" "kept"\]\]$/);
    });

    // Version 6 sends a call without a result.
    test("another question while a program waits leaves it undone", { skip: isThird }, async () => {
      const { model } = writing([refunds], ["(+ 1 1)"]);
      const { chat, made } = page(model);
      await chat.say("Refund them.");
      await chat.say("Never mind. What is 1 + 1?");
      assert.equal(chat.text(), "Done.");
      assert.deepEqual(made, ["search", "refund 17"]);
    });

    suite("with its telemetry", () => {
      const exporter = new InMemorySpanExporter();
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const tracer = provider.getTracer("shop");
      before(() => activeContext.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));

      for (const recordInputs of [true, false]) {
        test(`inner calls are spans below that of the program, recordInputs ${recordInputs}`, async () => {
          exporter.reset();
          const { tools } = shop(ai.tool);
          const { model } = writing(['(tool/search {:query "secret"})', "(tool/search {:query 17})"]);
          const settings = { isEnabled: true, tracer, recordInputs, recordOutputs: recordInputs, functionId: "shop" };
          const run_program = programTool(tools, { telemetry: settings });
          await ai.generateText({
            model,
            prompt: "Look.",
            tools: { run_program },
            stopWhen: until,
            ...(isThird
              ? { experimental_telemetry: settings }
              : { telemetry: { ...settings, integrations: [new OpenTelemetry({ tracer })] } }),
          });
          const spans = exporter.getFinishedSpans();
          const outer = spans.filter(({ name }) => name === (isThird ? "ai.toolCall" : "execute_tool run_program"));
          const inner = spans.filter(({ name }) => name === "execute_tool search");
          assert.equal(outer.length, 2);
          assert.deepEqual(
            inner.map((span) => outer.findIndex((each) => each.spanContext().spanId === span.parentSpanContext.spanId)),
            [0],
          );
          const { attributes } = inner[0];
          assert.equal(attributes["gen_ai.tool.call.id"], "call_0_0/0");
          assert.equal(/secret/.test(JSON.stringify(attributes)), recordInputs);
        });
      }
    });
  });
}
