import { type Audit, audit, Conversation, type PriceList, type RequestParameters } from "turnfold/audit";
import type { AuditedRecording } from "./read.ts";

/** What an audit is of, besides the recording. */
export interface AuditSettings {
  /** Prices in place of those of the recorded models; null for those. */
  readonly prices: PriceList | null;
  /** The only strategy, by its name; null for those of `turnfold audit`. */
  readonly strategy: readonly [name: string, parameters: RequestParameters] | null;
}

const DEFAULTS: AuditSettings = { prices: null, strategy: null };

/** Audits a recording as `turnfold audit` does. */
export function auditOf({ format, chats }: AuditedRecording, { prices, strategy } = DEFAULTS): Audit {
  const [first, ...rest] = chats.map((chat) => ({ ...chat, conversation: Conversation.fromJSON(chat.conversation) }));
  if (first === undefined) throw new TypeError("the recording holds no chat");
  return audit(
    { format, chats: [first, ...rest], conversation: first.conversation, warnings: [] },
    {
      ...(prices === null ? {} : { prices }),
      ...(strategy === null ? {} : { strategies: { [strategy[0]]: strategy[1] } }),
    },
  );
}
