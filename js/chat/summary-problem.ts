import type { Answer } from "../model/model.ts";

/** The reason why a reply can't be used as a summary. */
export interface SummaryProblem {
  problem: "refused" | "cut_off" | "error" | "empty" | "repeats_instructions";
  message: string;
}

/** Maximum length of a refusal. Longer texts with the same beginning may be notes about an apology. */
const MAX_REFUSAL_LENGTH = 400;

/** An apology followed by what the model can't do, or a statement that it can't do what was requested. */
const REFUSALS: readonly RegExp[] = [
  /^(?:i['’]m|i am) (?:(?:very|really|so|terribly) )?(?:sorry|afraid)\b[^.!?]{0,60}?\b(?:can(?:no|['’])t|cannot|can not|won['’]t|(?:un|not )able to)\b/i,
  /^(?:sorry|apologies|i apologi[sz]e|unfortunately)\b[^.!?]{0,40}?\bi(?: can(?:no|['’])t| cannot| can not| won['’]t|['’]m unable to| am unable to|['’]m not able to| am not able to)\b/i,
  /^i(?: can(?:no|['’])t| cannot| can not| won['’]t|['’]m unable to| am unable to|['’]m not able to| am not able to| must decline to) (?:help|assist|summari[sz]e|comply|fulfil|continue|proceed|process|engage|provide (?:a|an|the|that|this) |(?:create|generate|write|produce) (?:a|the|that|this) (?:summary|notes?))/i,
  /^as an ai\b[^.!?]{0,60}?\bi (?:can(?:no|['’])t|cannot|can not|won['’]t|am (?:un|not )able to)\b/i,
  /^es tut mir leid,? (?:aber )?(?:ich|das|dabei) kann\b/i,
  /^(?:je suis )?désolée?,? (?:mais )?je ne peux pas\b/i,
  /^lo siento,? (?:pero )?no puedo\b/i,
  /^(?:很|非常)?抱歉[，,]?\s*(?:但)?我(?:无法|不能)/,
  /^申し訳(?:ありません|ございません)が[、,]/,
];

/** A reply that contains this many characters from the beginning of the instructions counts as a repetition of them. */
const REPEATED_LENGTH = 60;

/**
 * Returns the reason why a reply can't be used as a summary, or null.
 *
 * @param instruction the instructions in the request.
 *
 * @internal
 */
export function summaryProblem(
  { content, toolCalls, finishReason }: Answer,
  instruction: string,
): SummaryProblem | null {
  const text = singleLine(content);
  if (finishReason === "length") {
    return { problem: "cut_off", message: "the summary was cut off by the model's length limit" };
  }
  if (finishReason === "content-filter" || isRefusal(text)) {
    const quoted = text === "" ? "" : `: ${JSON.stringify(text.slice(0, 120))}`;
    return { problem: "refused", message: `the model refused to write the summary${quoted}` };
  }
  if (finishReason === "error") {
    return { problem: "error", message: "the provider could not complete the summary" };
  }
  if (text === "") {
    const calls = toolCalls.length > 0;
    const message = calls ? "the model called a tool and wrote no summary" : "the model gave an empty summary";
    return { problem: "empty", message };
  }
  const instructions = singleLine(instruction);
  // Short instructions of a host may be part of a valid summary.
  if (
    text === instructions ||
    (instructions.length >= REPEATED_LENGTH && text.includes(instructions.slice(0, REPEATED_LENGTH)))
  ) {
    return { problem: "repeats_instructions", message: "the model repeated its instructions instead of a summary" };
  }
  return null;
}

function isRefusal(text: string): boolean {
  return text.length <= MAX_REFUSAL_LENGTH && REFUSALS.some((refusal) => refusal.test(text));
}

/** Returns the text on one line, without quotes or emphasis at its beginning. */
function singleLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/^[ "“*_>]+/, "")
    .trimEnd();
}
