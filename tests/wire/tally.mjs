// Counts requests, and keeps the smallest example of each kind of refusal.

import { TurnfoldError } from "turnfold";

/**
 * Codes of errors that may be thrown instead of a request: for content that a format can't express, for messages that
 * are none, and for limits below what has to be sent.
 */
const ALLOWED = [
  "unsupported_part",
  "invalid_message",
  "max_tokens_below_system",
  "request_over_budget",
  "pins_over_limit",
];

export class Tally {
  accepted = 0;
  refused = 0;
  /** Errors in place of requests, by their codes. */
  thrown = new Map();
  /** Accepted requests by their senders. */
  senders = new Map();
  /** The kinds of refusals, and of errors that are not allowed: `{ count, message, request }`. */
  kinds = new Map();

  /** @param request as `formatRequests` and `agentRequests` report it. */
  add(request) {
    const { refusal, error, sender } = request;
    if (error !== undefined) {
      const code = TurnfoldError.isInstance(error) ? error.code : error.name;
      this.thrown.set(code, (this.thrown.get(code) ?? 0) + 1);
      if (!ALLOWED.includes(code)) this.fault(`${sender}: ${error.message}`, error.stack, request);
    } else if (refusal !== null) {
      this.refused++;
      this.fault(`${sender} ← ${refusal.kind}`, refusal.message, request);
    } else {
      this.accepted++;
      this.senders.set(sender, (this.senders.get(sender) ?? 0) + 1);
    }
  }

  fault(kind, message, request) {
    const size = JSON.stringify(request.body ?? request.messages).length;
    const found = this.kinds.get(kind);
    if (found === undefined || found.size > size) {
      this.kinds.set(kind, { count: (found?.count ?? 0) + 1, size, message, request });
    } else found.count++;
  }

  get requests() {
    return this.accepted + this.refused;
  }

  /** One line for each kind, with the seed of its smallest example. */
  get faults() {
    const sorted = [...this.kinds].sort(([, left], [, right]) => right.count - left.count);
    return sorted.map(
      ([
        kind,
        {
          count,
          message,
          request: { seed, dialect },
        },
      ]) =>
        `${String(count).padStart(6)} ${kind} (seed ${seed}${dialect === undefined ? "" : `, ${dialect}`})\n       ${message}`,
    );
  }
}
