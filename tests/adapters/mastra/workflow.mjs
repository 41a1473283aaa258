// A workflow as a processor. It can't change prompts, so the remembered messages are replaced for the request.

import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { MockMemory } from "@mastra/core/memory";
import { ProcessorStepSchema } from "@mastra/core/processors";
import { InMemoryStore } from "@mastra/core/storage";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { mastra, turnfoldProcessor } from "turnfold/adapters/mastra";
import { lastNMessages } from "turnfold/chat";
import { languageModel, textOf } from "../language-model.js";

const show = (name, value) => console.log(JSON.stringify([name, value]));
const about = { name: "Support", instructions: "You help customers." };
const storage = new InMemoryStore();
const memory = new MockMemory({ storage, options: { lastMessages: 40 } });
let summaries = 0;
const outcomes = [];
const processor = turnfoldProcessor({
  compressionStrategy: lastNMessages(4),
  llm: async () => `They talked, ${++summaries}.`,
  onReport: ({ outcome }) => outcomes.push(outcome),
});
const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };
const workflow = createWorkflow({ id: "history-workflow", ...schemas })
  .then(createStep(processor))
  .commit();
const { model, requests } = languageModel(() => "You are welcome.");
const agent = new Agent({ ...about, id: "member", model, memory, inputProcessors: [workflow] });
const filling = new Agent({ ...about, id: "filling", model: languageModel(() => "Noted.").model, memory });
new Mastra({ agents: { agent, filling }, storage, logger: false });
const thread = { memory: { thread: "one", resource: "user" } };
for (let number = 1; number <= 6; number++) await filling.generate(`Fact ${number}`, thread);

for (const question of ["Thanks.", "Bye."]) {
  await agent.generate(question, thread);
  const { prompt } = requests.at(-1);
  show(
    question,
    prompt.map((message) => `${message.role}: ${textOf(message).split("\n").at(-1)}`),
  );
}
show("outcomes", [outcomes, summaries]);

const { messages } = await memory.recall({ threadId: "one", perPage: false });
show(
  "stored",
  messages.map(({ role, content }) => `${role}: ${content.content ?? content.parts.map(({ text }) => text).join("")}`),
);
const conversation = mastra.from(messages);
const back = mastra.to(conversation);
show("read", [conversation.messages.length, back.length, back.every((message, index) => message === messages[index])]);
