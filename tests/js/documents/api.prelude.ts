// Names that the examples of the reference use without declaring them.

import { readFile } from "node:fs/promises";
import { after } from "node:test";
import { Agent, type ChatMessage, Conversation, type RenderOptions, SubAgent, Turn } from "turnfold";

export const model = "any";
export const searchCatalog = ({ category }: { category: string }) => [{ name: `Lamp of ${category}`, rating: 4.5 }];
export const searchArchive = (query: string) => [`Nothing about ${query}`];
export const askMyModel = async (..._request: unknown[]) =>
  "```clojure\n(return (tool/search {:category data/category}))\n```";

/** A model that answers every example, by the words of the last message. */
export const llm = async ({ messages, purpose }: { messages: readonly { content: unknown }[]; purpose: string }) => {
  const request = String(messages.at(-1)?.content);
  if (purpose === "summary" || purpose === "extraction") return "They greeted each other.";
  if (request.includes("Mood")) return "Mood: good\nScore: 4.5";
  if (request.includes("Reasoning")) return "Reasoning: it is so.\nAnswer: 42";
  if (request.includes("Next_thought")) return "Next_thought: enough.\nNext_tool_name: finish\nNext_tool_args: {}";
  return "Answer: the Eiffel Tower";
};

export const question = "What is six times seven?";
export const messages: ChatMessage[] = Array.from({ length: 12 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Hello for the time number ${index}, and a good day to you too.`,
  timestamp: index,
}));
export const conversation = new Conversation({ messages });
export const options: RenderOptions = { mission: "Add up" };
export const turns = [Turn.success({ program: "(def total 42)", memory: { total: 42 } })];
export const nextTurn = Turn.success({ program: "(def more 43)", memory: { total: 42, more: 43 } });

export const agent = new SubAgent({
  mission: "Add up",
  llm: () => "```clojure\n(return 42)\n```",
});
export const step = await agent.run();

export const support = new Agent({ system: "You help customers.", llm });

const choices = [{ message: { content: "Hello!" } }];
const create = async (..._request: unknown[]) => ({ choices, usage: { prompt_tokens: 10 } });
export const client = {
  chat: { completions: { create } },
  responses: { create: async (..._request: unknown[]) => ({ status: "completed", output: [] }) },
  models: {
    generateContent: async (..._request: unknown[]) => ({}),
    generateContentStream: async (..._request: unknown[]) => ({}),
  },
};

/** Items of the Responses API. */
export const input = messages.map(({ role, content }) => ({ role, content }));
export const provider = (modelId: string) => ({
  specificationVersion: "v3",
  modelId,
  doStream: async () => ({ stream: new ReadableStream<unknown>() }),
});
export const ai = client;
export const claude = { messages: { create: async (..._request: unknown[]) => ({}) } };
export const aiModel = "any";
export const github = {
  listTools: async () => ({ tools: [{ name: "list_commits" }, { name: "get_commit" }, { name: "delete_repository" }] }),
  callTool: async () => ({ content: [] }),
};
export const generateText = async (..._request: unknown[]) => ({ text: "Hello!" });

/** A page that serves the wasms of the slim entries. */
const { fetch } = globalThis;
globalThis.fetch = async (url, init) =>
  String(url).startsWith("/assets/")
    ? new Response(await readFile(`dist/${String(url).slice("/assets/".length)}`), {
        headers: { "content-type": "application/wasm" },
      })
    : fetch(url, init);
after(() => {
  globalThis.fetch = fetch;
});
