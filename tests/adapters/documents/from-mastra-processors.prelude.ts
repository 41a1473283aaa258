// Names that the programs of the page on Mastra's processors use without declaring them: a model that records its requests, and a
// history with tool calls.

import type { ModelMessage } from "ai";
import { languageModel } from "../language-model.ts";

export const { model, requests } = languageModel(({ prompt }) =>
  JSON.stringify(prompt[0]).includes("words") ? "The customer asked about parcels." : "The last parcel is in Leipzig.",
);

/** Eight questions, each with a tool call, its result and an answer, and a last question. */
export const history: ModelMessage[] = [
  ...Array.from({ length: 8 }, (_, number): ModelMessage[] => {
    const call = { toolCallId: `c${number}`, toolName: "find" };
    const value = `Parcel P-10${number}. ${"It left the depot in Leipzig. ".repeat(20)}`;
    return [
      { role: "user", content: `Where is parcel ${number}?` },
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { parcel: number } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value } }] },
      { role: "assistant", content: `Parcel ${number} is on its way.` },
    ];
  }).flat(),
  { role: "user", content: "And the last one?" },
];
