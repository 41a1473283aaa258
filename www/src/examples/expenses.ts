import type { SavedState } from "../states/saved.ts";
import { fenced } from "./replies.ts";

const receipts = `[{:id 1 :what "Train to Lyon" :amount 84.5 :currency "EUR"}
  {:id 2 :what "Hotel, two nights" :amount 212 :currency "EUR"}
  {:id 3 :what "Taxi in Geneva" :amount 46 :currency "CHF"}
  {:id 4 :what "Lunch with the client" :amount 61.2 :currency "CHF"}
  {:id 5 :what "Train back" :amount 84.5 :currency "EUR"}
  {:id 6 :what "Book for the flight" :amount 18 :currency "usd"}]`;

const rateAnswer = `({ currency }) => {
  const rates = { EUR: 1, CHF: 1.05, USD: 0.92 };
  const rate = rates[currency];
  if (rate === undefined) throw new Error("no rate for " + currency + ": codes are upper case, such as EUR");
  return rate;
}`;

/** The tool rejects the first reply, the signature the third. */
const replies = [
  `Every amount has to be in euros, so I need the rate of each receipt's currency.

${fenced(`(defn in-euros "Amount of a receipt in euros" [r]
  (* (:amount r) (tool/rate {:currency (:currency r)})))
(def amounts (map in-euros data/receipts))
(println "Total:" (reduce + amounts))`)}`,
  `One currency is written in lower case. I ask for each rate once, by its proper code.

${fenced(`(def codes (distinct (map (fn [r] (upper-case (:currency r))) data/receipts)))
(def rates (zipmap codes (pmap (fn [c] (tool/rate {:currency c})) codes)))
(defn in-euros "Amount of a receipt in euros" [r]
  (* (:amount r) (get rates (upper-case (:currency r)))))
(println "Rates:" rates)`)}`,
  fenced(`(def total (reduce + (map in-euros data/receipts)))
(return {:total (format "%.2f" total) :refused []})`),
  `The total must be a number, and what the policy refuses is still missing.

${fenced(`(def over (filter (fn [r] (> (in-euros r) data/limit)) data/receipts))
(def paid (remove (fn [r] (> (in-euros r) data/limit)) data/receipts))
(return {:total (reduce + (map in-euros paid)) :refused (map :what over)})`)}`,
];

export const expenses: SavedState = {
  mission:
    "Add up the receipts in euros. Leave out those above the limit, and name them, so that somebody can ask about them.",
  tools: [
    {
      name: "rate",
      signature: "(currency :string) -> :float",
      description: "Euros for one unit of a currency, today",
      answer: rateAnswer,
      delay: "250",
    },
  ],
  data: `{:limit 200\n :receipts\n ${receipts}}`,
  signature: "() -> {total :float, refused [:string]}",
  fields: [{ path: "refused", description: "What the receipts above the limit were for" }],
  options: { maxTurns: "6" },
  program: `(frequencies (map :currency data/receipts))`,
  replies,
};
