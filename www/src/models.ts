/** The model that replies to the requests of a run. */
export type ModelKind = "scripted" | "you" | "endpoint";

export interface ModelEntry {
  readonly name: ModelKind;
  readonly label: string;
  readonly summary: string;
}

/** The first is the default. */
export const models: readonly [ModelEntry, ...ModelEntry[]] = [
  {
    name: "scripted",
    label: "Scripted replies",
    summary: "Each turn gets the reply of its number, as if a model had written it.",
  },
  {
    name: "you",
    label: "You",
    summary: "The run stops at every turn, shows you the message, and takes what you reply.",
  },
  {
    name: "endpoint",
    label: "Endpoint",
    summary: "A server that speaks the chat completions protocol of OpenAI is asked, straight from this page.",
  },
];
