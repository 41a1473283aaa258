import type { WindowShare } from "./audit-result.ts";
import type { MeasuredCall, MeasuredChat } from "./measured-chat.ts";

/**
 * Returns what fills the requests, the most tokens first.
 *
 * @param nameOf the tool or the file of a call; null for calls that are not counted.
 * @param input the tokens of all requests.
 */
export function windowShares(
  chats: readonly MeasuredChat[],
  nameOf: (call: MeasuredCall) => string | null,
  factorOf: (chat: number) => number,
  input: number,
): WindowShare[] {
  const shares = new Map<string, WindowShare>();
  for (const { calls, index } of chats) {
    for (const call of calls) {
      const name = nameOf(call);
      if (name === null) continue;
      const share = shares.get(name) ?? { name, calls: 0, tokens: 0, sent: 0, share: 0 };
      shares.set(name, share);
      share.calls++;
      for (const part of [call.call, call.result]) {
        if (part === null) continue;
        const tokens = part.tokens * factorOf(index);
        share.tokens += tokens;
        share.sent += tokens * part.sent;
      }
    }
  }
  return [...shares.values()]
    .map((share) => ({
      ...share,
      tokens: Math.round(share.tokens),
      sent: Math.round(share.sent),
      share: input === 0 ? 0 : share.sent / input,
    }))
    .sort((left, right) => right.sent - left.sent);
}
