// Names that the programs of the skill use without declaring them.

import type { Message } from "turnfold";
import { clientWithReply } from "./client.ts";

export const model = "any";
export const messages: Message[] = Array.from({ length: 12 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Message ${index}`,
}));
export const client = clientWithReply(() => "They said hello.");
export const searchCatalog = ({ query }: { query: string }) => [{ name: `Desk ${query}`, price: 42.5 }];
export const askModel = async () => "```clojure\n(return (first (tool/search data/what)))\n```";
export const answerModel = async () => "Answer: 330 m\nSure: true";
