// The requests of Mastra agents, the model that writes summaries, and the stored messages.

import { Agent } from "@mastra/core/agent";
import type { InputProcessor } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import { turnfoldProcessor } from "turnfold/adapters/mastra";
import { fromTimestamp, type HistoryReport, lastNMessages, type RequestParameters } from "turnfold/chat";
import { z } from "zod";
import { languageModel, type Prompt, type Request, textOf } from "../language-model.js";

const show = (name: string, value: unknown) => console.log(JSON.stringify([name, value]));
const past = Array.from({ length: 12 }, (_, index) =>
  index % 2 === 0
    ? { role: "user" as const, content: `Question ${index}` }
    : { role: "assistant" as const, content: `Answer ${index}` },
);
const question = [...past, { role: "user" as const, content: "Thanks." }];
const compressed: RequestParameters = { compressionStrategy: lastNMessages(4) };
const about = { name: "Support", instructions: "You help customers." };
const texts = (prompt: Prompt) => prompt.map((message) => `${message.role}: ${textOf(message).split("\n").at(-1)}`);
const asked = (requests: readonly Request[]) => requests.map(({ prompt }) => texts(prompt));
const failing = () => {
  throw new Error("the summarizer is down");
};

// The agent's own model writes the summaries.
const own = languageModel(({ prompt }) => (prompt.length === 2 ? "They talked." : "You are welcome."));
const agent = new Agent({ ...about, id: "own", model: own.model, inputProcessors: [turnfoldProcessor(compressed)] });
show("answer", (await agent.generate(question)).text);
show("asked", asked(own.requests));
const stream = await agent.stream(question);
const pieces: string[] = [];
for await (const piece of stream.textStream) pieces.push(piece);
show("pieces", pieces);

// A pinned message stays, and timestamps come from Mastra.
const pinned = [
  { role: "user" as const, content: "I am allergic to nuts.", providerOptions: { turnfold: { pinned: true } } },
  ...question,
];
const remembering = languageModel(() => "You are welcome.");
const since = fromTimestamp(Date.now() - 60_000);
for (const compressionStrategy of [lastNMessages(4), since]) {
  const processor = turnfoldProcessor({ compressionStrategy, llm: () => "They talked." });
  const pinning = new Agent({ ...about, id: "pinning", model: remembering.model, inputProcessors: [processor] });
  await pinning.generate(pinned);
}
show("pinned", asked(remembering.requests));

// A summary that fails.
const broken = new Agent({
  ...about,
  id: "broken",
  model: languageModel(() => "never").model,
  inputProcessors: [turnfoldProcessor({ ...compressed, llm: failing })],
});
try {
  await broken.generate(question);
  show("failed", "no error");
} catch (error) {
  const { message, code, cause } = error as { message: string; code?: string; cause?: { code?: string } };
  show("failed", [code ?? null, cause?.code ?? null, message]);
}
const trimming = languageModel(() => "Fine.");
const warnings: string[] = [];
const careful = new Agent({
  ...about,
  id: "careful",
  model: trimming.model,
  inputProcessors: [
    turnfoldProcessor({
      ...compressed,
      maxHistorySize: 8,
      llm: failing,
      onSummaryError: "trim",
      onWarning: (text) => warnings.push(text),
    }),
  ],
});
show("trimmed", [(await careful.generate(question)).text, trimming.requests[0]?.prompt.length, warnings.length]);

// Tools and the schema of the answer count towards the limits.
const counts: number[] = [];
const onReport = ({ tokens }: HistoryReport) => {
  counts.push(tokens.before);
};
const note = createTool({
  id: "note",
  description: "Takes a note",
  inputSchema: z.object({ text: z.string().describe("What is to be remembered") }),
  execute: async () => ({ noted: true }),
});
const { model } = languageModel(() => "Hi.");
const counting = { ...about, model, inputProcessors: [turnfoldProcessor({ onReport })] };
await new Agent({ ...counting, id: "plain" }).generate("Hello");
await new Agent({ ...counting, id: "tools", tools: { note } }).generate("Hello");
const structured = languageModel(() => '{"sum":42}').model;
const { object } = await new Agent({ ...counting, id: "schema", model: structured }).generate("Hello", {
  structuredOutput: { schema: z.object({ sum: z.number().describe("The sum of all orders") }) },
});
show("object", object);
show("counts", counts);

// Both are accepted in place of Mastra's own processors.
export const processors: InputProcessor[] = [turnfoldProcessor({ ...compressed, id: "history" })];
