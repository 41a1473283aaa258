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
    summary: "Each turn gets the reply with its number, as if a model had written it.",
  },
  {
    name: "you",
    label: "You",
    summary: "The run pauses at every turn, shows you the request, and uses your reply.",
  },
  {
    name: "endpoint",
    label: "Endpoint",
    summary: "This page sends requests directly to a server with OpenAI’s chat completions API.",
  },
];
