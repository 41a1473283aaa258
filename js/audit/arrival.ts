import type { ChatMessage } from "../chat/chat-message.ts";
import { freeHandle, ofMessages } from "../chat/conversation.ts";
import { countMessages } from "../chat/count-messages.ts";
import { checkParameters } from "../chat/parameters.ts";
import { asSent, Planning } from "../chat/planning.ts";
import { partsOf } from "../chat/tool-pairs.ts";
import type { ArrivalKind } from "./audit-result.ts";
import { sumOf } from "./bootstrap.ts";

type Kind = ArrivalKind["kind"];

/** The results that `arrival: "lossless"` writes shorter, by kind. */
export class ShorterResults {
  private readonly kinds = new Map<Kind, ArrivalKind>();

  /**
   * Adds those of a chat.
   *
   * @param sent the number of requests that sent each message.
   * @param factor the provider's tokens for each estimated one.
   */
  add(messages: readonly ChatMessage[], sent: readonly number[], factor: number): void {
    for (const { message, kind, tokens } of shorterIn(messages)) {
      const known = this.kinds.get(kind) ?? { kind, results: 0, tokens: 0, sent: 0, cost: 0 };
      this.kinds.set(kind, known);
      known.results++;
      known.tokens += tokens * factor;
      known.sent += tokens * factor * (sent[message] as number);
    }
  }

  /** All kinds, the most tokens first. The costs are their parts of what was saved. */
  byKind(saved: number): ArrivalKind[] {
    const kinds = [...this.kinds.values()].map((each) => ({
      ...each,
      tokens: Math.round(each.tokens),
      sent: Math.round(each.sent),
    }));
    const all = sumOf(kinds.map(({ sent }) => sent));
    return kinds
      .map((each) => ({ ...each, cost: all === 0 ? 0 : (saved * each.sent) / all }))
      .sort((left, right) => right.sent - left.sent);
  }
}

function shorterIn(messages: readonly ChatMessage[]): { message: number; kind: Kind; tokens: number }[] {
  if (messages.length === 0) return [];
  const conversation = ofMessages(messages);
  const planning = new Planning(conversation, checkParameters({ arrival: "lossless" }), {});
  const { sent } = planning.plan().ready ?? { sent: [] };
  planning.release();
  freeHandle(conversation);
  const short = asSent(messages, sent);
  const changed = sent.map(({ index }) => index).filter((index) => short[index] !== messages[index]);
  const [before, after] = [messages, short].map(
    (list) => countMessages(changed.map((index) => list[index] as ChatMessage)).messages,
  ) as [number[], number[]];
  return changed.flatMap((message, position) => {
    const tokens = (before[position] as number) - (after[position] as number);
    if (tokens <= 0) return [];
    const kind = kindOf(textOfResult(messages[message] as ChatMessage), textOfResult(short[message] as ChatMessage));
    return [{ message, kind, tokens }];
  });
}

/** The text of a message's results as it was written, without unescaping. */
function textOfResult(message: ChatMessage): string {
  const { content } = message;
  return typeof content === "string" ? content : partsOf(message).map(textsIn).join("\n");
}

/** The texts of a part, at any depth. */
function textsIn(data: unknown): string {
  if (typeof data === "string") return data;
  if (typeof data !== "object" || data === null) return "";
  const { type: _, toolCallId: __, toolName: ___, ...others } = data as Record<string, unknown>;
  return Object.values(others).map(textsIn).filter(Boolean).join("\n");
}

function kindOf(given: string, short: string): Kind {
  if (/\[\d+ lines, the same as lines /.test(short)) return "repeated";
  if (given.includes("\u001B")) return "terminal";
  if (/^\s*[[{]/.test(given)) return "records";
  if (/\[the line above, [\d,]+ more times\]/.test(short)) return "lines";
  const lines = given.split("\n");
  const share = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length / lines.length;
  if (share(/^\s*\d+[\s→|:]/) > 0.5) return "numbers";
  return share(/^[^\s:]+:\d+[:-]/) > 0.3 ? "searches" : "lines";
}
