import type { Rendered } from "turnfold";

/** The messages of a request, and where the provider's cache is marked. */
export type Request = Pick<Rendered, "messages" | "breakpoints">;

/** The requests after each number of turns, from 0; null for those that are not made yet. Equal contents are one text. */
export interface SavedRequests {
  readonly texts: readonly string[];
  readonly requests: readonly (SavedRequest | null)[];
}

interface SavedRequest {
  readonly messages: readonly { readonly role: string; readonly text: number }[];
  readonly breakpoints: Request["breakpoints"];
}

/** Thrown by a strategy that stands for a custom one until that has run. */
export const WAITS: Error = new Error("The strategy has not run yet");

let last = 0;

/** The custom strategy of turns as its requests, which the sandbox computed: on the page it is a table. */
export class RequestTable {
  readonly name = "custom";
  readonly saved: SavedRequests;
  readonly #serial = ++last;

  constructor(saved: SavedRequests) {
    this.saved = saved;
  }

  toMessages(turns: readonly unknown[]): Request {
    const request = this.saved.requests[turns.length];
    if (request === undefined || request === null) throw WAITS;
    const { messages, breakpoints } = request;
    return {
      messages: messages.map(({ role, text }) => ({ role, content: this.saved.texts[text] ?? "" })),
      breakpoints,
    };
  }

  /** Whether all requests are made. */
  get isWhole(): boolean {
    return !this.saved.requests.includes(null);
  }

  /** Options are compared as JSON. */
  toJSON(): number {
    return this.#serial;
  }
}

const nothing: SavedRequests = { texts: [], requests: [null] };

/** Stands for a strategy that has not run. */
export const waiting: RequestTable = new RequestTable(nothing);
