import type { Rendered } from "turnfold";

type Kind = Rendered["dropped"][number]["kind"];

/** One of them, and several. */
export const kindNames: Readonly<Record<Kind, readonly [string, string]>> = {
  print: ["print", "prints"],
  toolCall: ["tool call", "tool calls"],
  sample: ["sample", "samples"],
  definition: ["definition", "definitions"],
  error: ["error", "errors"],
  program: ["program", "programs"],
};

const sentences: Readonly<Record<string, string>> = {
  println_limit: "Only the newest prints are shown; these are older.",
  tool_call_limit: "Only the newest tool calls are shown; these are older.",
  print_length: "A print longer than the limit is cut.",
  printed: "The turn that defined it printed what it wanted to see.",
  superseded: "A later turn gave the name another value.",
  recovered: "A later turn succeeded, so the mistake is of no more use.",
  failed: "Prints of failed turns are not shown.",
  compressed: "What a program did is kept; its code is not.",
  budget: "It did not fit the token budget.",
};

/** A reason that the page has no sentence for is shown as it came. */
export const reasonSentence = (reason: string): string => sentences[reason] ?? reason.replaceAll("_", " ");
