import type { Field, Signature } from "turnfold";
import { formatted } from "../page/numbers.ts";
import type { AdapterChoice, ProgramKind } from "./state.ts";

interface Entry<N extends string> {
  readonly name: N;
  readonly label: string;
  readonly summary: string;
}

export const kindEntries: readonly Entry<ProgramKind>[] = [
  { name: "predict", label: "Predict", summary: "One call: inputs become a request, the reply becomes outputs." },
  {
    name: "chainOfThought",
    label: "ChainOfThought",
    summary: "The model writes an output “reasoning” before all others.",
  },
  {
    name: "react",
    label: "ReAct",
    summary: "In steps: the model thinks, calls a tool and sees its result, until it can answer.",
  },
];

export const adapterEntries: readonly Entry<AdapterChoice>[] = [
  { name: "default", label: "default", summary: "Everything in one message, “Field: value” in both directions." },
  { name: "chat", label: "chat", summary: "A system message, and a marker above each value." },
  { name: "json", label: "json", summary: "A system message; the reply is a JSON object that matches a schema." },
];

/** A sentence about the parsed signature of a text: its notation, inputs and outputs. */
export function signatureSentence(text: string, { inputs, outputs }: Signature): string {
  const notation = /^\s*(?:[([{:"]|->)/.test(text) ? "notation of turns" : "arrow form";
  return `Read as ${notation}: ${listed(inputs)} → ${listed(outputs)}`;
}

/** The most names that are listed. */
const MAX_NAMES = 20;

function listed(fields: readonly Field[]): string {
  const names = fields.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = fields.length - names.length;
  return [...names, ...(more === 0 ? [] : [`${formatted(more)} more`])].join(", ");
}
