// What the skill takes for given.

import type { Message } from "turnfold";

export const model = "any";
export const messages: Message[] = Array.from({ length: 12 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Message ${index}`,
}));
const create = async (..._request: unknown[]) => ({ choices: [{ message: { content: "They said hello." } }] });
export const client = { chat: { completions: { create } } };
export const searchCatalog = ({ query }: { query: string }) => [{ name: `Desk ${query}`, price: 42.5 }];
export const askModel = async () => "```clojure\n(return (first (tool/search data/what)))\n```";
export const answerModel = async () => "Answer: 330 m\nSure: true";
