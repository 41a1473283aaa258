// Names that the programs of the README use without declaring them.

import { type Message, Turn } from "turnfold";
import { clientWithReply } from "./client.ts";

export const turns: Turn[] = [];
export const nextTurn = Turn.success({ program: "(def x 1)", memory: { x: 1 } });
export const fetchRate = async (_currency: string) => 1.5;
export const searchCatalog = ({ query }: { query: string }) => [{ id: 1, name: `Desk ${query}`, price: 42 }];
export const loadReviews = async () => [{ stars: 5 }];
export const loadOrder = async () => ({ state: "sent" });
export const messages: Message[] = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hello!" },
];
export const model = "any";

export const client = clientWithReply((request) =>
  request.includes("Eiffel")
    ? "Answer: 330 m\nMood: sure"
    : "```clojure\n(return (first (tool/search data/what)))\n```",
);
