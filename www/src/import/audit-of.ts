import { type Audit, audit, Conversation } from "turnfold/audit";
import type { HistoryChoice } from "../chat/state.ts";
import type { AuditedRecording } from "./read.ts";

/** Audits a recording as `turnfold audit` does. */
export function auditOf({ format, chats }: AuditedRecording): Audit {
  const [first, ...rest] = chats.map((chat) => ({ ...chat, conversation: Conversation.fromJSON(chat.conversation) }));
  if (first === undefined) throw new TypeError("the recording holds no chat");
  return audit({ format, chats: [first, ...rest], conversation: first.conversation, warnings: [] });
}

/** The strategy of the Chat tab that a recommendation means, with its options. */
export interface Recommended {
  readonly strategy: HistoryChoice;
  readonly options: Readonly<Record<string, string>>;
}

/** Parses the code of a recommendation, such as `compressionStrategy: digest({ keep: 4 })`. */
export function recommendedBy({ code }: Audit["recommendation"]): Recommended {
  const [, strategy, args = ""] = /^compressionStrategy: (\w+)\(([^)]*)\)/.exec(code ?? "") ?? [];
  if (strategy === undefined) return { strategy: "none", options: {} };
  const options = Object.fromEntries(Array.from(args.matchAll(/(\w+): (\d+)/g), ([, name, value]) => [name, value]));
  return {
    strategy: strategy as HistoryChoice,
    options: /^\d+$/.test(args) ? { n: args } : options,
  };
}
