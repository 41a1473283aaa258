// Names that the programs of the page on LangChain use without declaring them: chat models that reply from a script.

import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { calls, ScriptedModel, says } from "../langchain/scripted-model.ts";
import { nextOrder } from "../orders.ts";

/** Looks up orders 1 to 12, then answers; writes a summary when the request is for one. */
export const model = new ScriptedModel((messages) => {
  const last = messages.at(-1);
  if (messages[0]?.type === "system" && /summar|words/i.test(messages[0].text)) return says("Orders were looked up.");
  if (last?.type === "human" && !last.text.startsWith("Where")) return says("You are welcome.");
  const order = nextOrder(last?.text ?? "");
  if (order !== null) return calls(`call_${order}`, "lookup", { order });
  return says("All of them are in Leipzig.");
});

export const smallModel = new ScriptedModel(() => says("They talked about lamps."));

/** A history of 20 messages. */
export const history = Array.from({ length: 20 }, (_, index) =>
  index % 2 === 0 ? new HumanMessage(`Question ${index}`) : new AIMessage(`Answer ${index}`),
);

/** Writes a program, then says what its last result is. */
export const writer = new ScriptedModel((messages) => {
  const last = messages.at(-1);
  const program = `(def late (tool/orders {:state "late"}))
(pmap (fn [o] (tool/refund (select-keys o [:order :euros]))) late)`;
  if (last?.type === "human") return calls("call_1", "run_program", { program });
  return says(last?.text.split("\n").at(-1) ?? "");
});
