import type { Rendered } from "turnfold";

type Kind = Rendered["dropped"][number]["kind"];

/** The singular and the plural of each kind. */
export const kindNames: Readonly<Record<Kind, readonly [string, string]>> = {
  print: ["print", "prints"],
  toolCall: ["tool call", "tool calls"],
  sample: ["sample", "samples"],
  definition: ["definition", "definitions"],
  error: ["error", "errors"],
  program: ["program", "programs"],
};

const sentences: Readonly<Record<string, string>> = {
  compressed: "What a program did is kept; its code is not.",
  println_limit: "Only the newest prints are shown, and these are older.",
  print_length: "A print longer than the limit is cut; this is the rest of it.",
  output_length: "Of a long output, the beginning and the end are shown.",
  tool_call_limit: "Only the newest tool calls are shown, and of a failed turn those that fit.",
  failed_turn: "What a failed turn printed is shown only after that turn.",
  recovered: "The last turn succeeded, so earlier errors are not shown.",
  later_error: "Only the newest error is shown.",
  redefined: "A later turn gave the name another value.",
  not_in_memory: "The name is no longer in memory.",
  turn_printed: "No samples are shown for the definitions of a turn that printed something.",
  hidden: "Names that begin with _ are hidden from the model.",
  budget: "It did not fit the token budget.",
};

/** An unknown reason is shown as it is. */
export const reasonSentence = (reason: string): string => sentences[reason] ?? reason.replaceAll("_", " ");
