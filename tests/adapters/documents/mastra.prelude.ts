// Names that the programs of the page on Mastra use without declaring them: a model that replies from a script, and a memory.

import { MockMemory } from "@mastra/core/memory";
import { InMemoryStore } from "@mastra/core/storage";
import { languageModel, textOf } from "../language-model.ts";
import { nextOrder } from "../orders.ts";

/** Looks up orders 1 to 12, then answers; writes a summary when the request is for one. */
export const { model } = languageModel(({ prompt }) => {
  const last = prompt.at(-1);
  const text = textOf(last);
  if (prompt[0]?.role === "system" && /words/.test(textOf(prompt[0]))) return "Orders were looked up.";
  if (last?.role === "user" && !text.startsWith("Where")) return "You are welcome.";
  const order = nextOrder(text);
  if (order !== null) return { calls: [[`call_${order}`, "lookup", { order }]] };
  return "All of them are in Leipzig.";
});

export const memory = new MockMemory({ storage: new InMemoryStore() });

/** Writes a program, then says what its last result is. */
export const { model: writer } = languageModel(({ prompt }) => {
  const last = prompt.at(-1);
  const program = `(def late (tool/orders {:state "late"}))
(pmap (fn [o] (tool/refund (select-keys o [:order :euros]))) late)`;
  if (last?.role === "user") return { calls: [["call_1", "run_program", { program }]] };
  return textOf(last).split("\\n").at(-1)?.replaceAll("\\", "").slice(0, -1) ?? "";
});

export const storage = new InMemoryStore();
