import type { Answer } from "../model/model.ts";

/** Why a reply can't be used as a summary. */
export interface SummaryProblem {
  problem: "refused" | "cut_off" | "error" | "empty" | "repeats_instructions";
  message: string;
}

/** A refusal is short. Longer texts that begin as one does may be notes about an apology. */
const LONGEST_REFUSAL = 400;

/** An apology and then what the model can't do, or what it can't do for whoever asks. */
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

/** Characters of the instructions that a reply has to contain before it counts as a repetition of them. */
const INSTRUCTION_START = 60;

/**
 * Why a reply can't be used as a summary, or null.
 *
 * @param instruction the instructions in the request.
 *
 * @internal
 */
export function summaryProblem(
  { content, toolCalls, finishReason }: Answer,
  instruction: string,
): SummaryProblem | null {
  const text = collapsed(content);
  if (finishReason === "length") {
    return { problem: "cut_off", message: "the summary was cut off by the model's length limit" };
  }
  if (finishReason === "content-filter" || declines(text)) {
    const said = text === "" ? "" : `: ${JSON.stringify(text.slice(0, 120))}`;
    return { problem: "refused", message: `the model refused to write the summary${said}` };
  }
  if (finishReason === "error") {
    return { problem: "error", message: "the provider could not complete the summary" };
  }
  if (text === "") {
    const calls = toolCalls.length > 0;
    const message = calls ? "the model called a tool and wrote no summary" : "the model gave an empty summary";
    return { problem: "empty", message };
  }
  const told = collapsed(instruction);
  // Short instructions of a host may well be a part of a summary.
  if (text === told || (told.length >= INSTRUCTION_START && text.includes(told.slice(0, INSTRUCTION_START)))) {
    return { problem: "repeats_instructions", message: "the model repeated its instructions instead of a summary" };
  }
  return null;
}

function declines(text: string): boolean {
  return text.length <= LONGEST_REFUSAL && REFUSALS.some((refusal) => refusal.test(text));
}

/** The text on one line, without quotes or emphasis around it. */
function collapsed(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/^[ "“*_>]+/, "")
    .trimEnd();
}
