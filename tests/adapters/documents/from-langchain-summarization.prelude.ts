// Names that the programs of the page on LangChain's summarization use without declaring them: models, and a history with tool
// calls.

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ScriptedModel, says } from "../langchain/scripted-model.ts";

export const model = new ScriptedModel(() => says("The last parcel is in Leipzig."));
export const smallModel = new ScriptedModel(() => says("The customer asked about parcels."));
export const brokenModel = new ScriptedModel(() => {
  throw new Error("no connection");
});

/** Eight questions, each with a tool call, its result and an answer, and a last question. */
export const history: BaseMessage[] = [
  ...Array.from({ length: 8 }, (_, number) => [
    new HumanMessage(`Where is parcel ${number}?`),
    new AIMessage({ content: "", tool_calls: [{ id: `c${number}`, name: "find", args: { parcel: number } }] }),
    new ToolMessage({ tool_call_id: `c${number}`, name: "find", content: "It left the depot in Leipzig. ".repeat(20) }),
    new AIMessage(`Parcel ${number} is on its way.`),
  ]).flat(),
  new HumanMessage("And the last one?"),
];
