// Names that the programs of the README use without declaring them.

import { tool } from "ai";
import { type Message, Turn } from "turnfold";
import { openaiModel } from "turnfold/models/openai";
import { z } from "zod";
import { languageModel } from "../../adapters/language-model.ts";
import { clientWithReply } from "./client.ts";

export const turns: Turn[] = [];
export const nextTurn = Turn.success({ program: "(def x 1)", memory: { x: 1 } });
export const search = ({ query }: { query: string }) => [{ id: 1, name: `Desk ${query}`, price: 42 }];
export const messages: Message[] = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hello!" },
];
export const { model } = languageModel(() => "Ada owns the lamp.");
export const tools = { look: tool({ inputSchema: z.object({}), execute: async () => "A lamp." }) };
export const prompt = "Who owns the lamp?";

export const client = clientWithReply((request) =>
  request.includes("Eiffel")
    ? "Answer: 330 m\nMood: sure"
    : '```clojure\n(return {:name "Desk lamp" :price 42.0})\n```',
);
export const llm = openaiModel(client, { model: "any" });
