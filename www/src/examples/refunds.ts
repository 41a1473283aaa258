import type { SavedState } from "../states/saved.ts";
import { fenced } from "./replies.ts";

const broken = `[{:order 17 :item "Desk lamp" :customer "Ann" :euros 20}
 {:order 21 :item "Cable" :customer "Ben" :euros 9}
 {:order 23 :item "Monitor" :customer "Cleo" :euros 900}]`;

/** The last reply is true after every decision: a denied turn defines nothing, so `refunds` has what was refunded before. */
const replies = [
  fenced(`(def orders (tool/broken-orders))
(defn refund [o] (tool/refund {:order (:order o) :euros (:euros o)}))
(def refunds (pmap refund (filter (fn [o] (<= (:euros o) 50)) orders)))
(println "Refunded:" (join ", " (map :order refunds)))`),
  `The third order is above the limit, so somebody has to decide. Meanwhile its customer gets a letter, which a colleague signs.

${fenced(`(def large (first (filter (fn [o] (> (:euros o) 50)) orders)))
(def both
  (pcalls (fn [] (refund large))
          (fn [] (tool/sign {:letter (str "Dear " (:customer large) ", your " (:item large) " arrived broken. We are sorry.")}))))
(def refunds (conj refunds (first both)))
(def letter (second both))`)}`,
  fenced(`(return {:refunded (map :order refunds) :euros (reduce + (map :euros refunds))})`),
];

export const refunds: SavedState = {
  mission:
    "Refund the orders that arrived broken. Have a letter signed for whoever waits longest. Return what was refunded.",
  tools: [
    {
      name: "broken-orders",
      signature: "() -> [{order :int, item :string, customer :string, euros :int}]",
      description: "The orders that arrived broken this week",
      answer: broken,
      delay: "200",
    },
    {
      name: "refund",
      signature: "(order :int, euros :int) -> {order :int, euros :int}",
      description: "Sends money back; a person approves what is above 50 EUR",
      answer: "({ order, euros }) => ({ order, euros })",
      delay: "300",
      needsApproval: true,
      approvalIf: "({ euros }) => euros > 50",
    },
    {
      name: "sign",
      signature: "(letter :string) -> :string",
      description: "A colleague reads and signs a letter",
      answer: `"Signed: Dora"`,
      answersLater: true,
    },
  ],
  signature: "() -> {refunded [:int], euros :int}",
  options: { maxTurns: "6" },
  program: "(tool/broken-orders)",
  replies,
};
