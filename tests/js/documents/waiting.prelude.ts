// Names that the programs of the guide on waiting use without declaring them: the user's model, bank and tickets.

import { rmSync } from "node:fs";
import { after } from "node:test";

export const llm = () =>
  "```clojure\n(return (pmap (fn [{:keys [order euros]}] (tool/refund {:order order :euros euros})) (tool/broken)))\n```";

export const bank = {
  refund: (order: number, _euros: number, _options: { idempotencyKey: string }) => `refunded ${order}`,
};

let tickets = 0;
export const openTicket = (_text: string) => ++tickets;

after(() => rmSync("refund.json", { force: true }));
