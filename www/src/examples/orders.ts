import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

const COUNT = 1000;
const FIRST = 20001;

const regions = ["north", "south", "east", "west", "islands"] as const;

interface Order {
  readonly id: number;
  readonly region: string;
  readonly cents: number;
  readonly status: "paid" | "unpaid";
}

// The tool computes the same orders in the sandbox.
const orderAt = (index: number): Order => ({
  id: FIRST + index,
  region: regions[(index * 7) % regions.length] as string,
  cents: 990 + ((index * 7919) % 24000),
  status: index % 9 === 4 ? "unpaid" : "paid",
});

const answer = `() => {
  const regions = ${JSON.stringify(regions)};
  return Array.from({ length: ${COUNT} }, (_, i) => ({
    id: ${FIRST} + i,
    region: regions[(i * 7) % ${regions.length}],
    cents: 990 + ((i * 7919) % 24000),
    status: i % 9 === 4 ? "unpaid" : "paid",
  }));
}`;

const list = Array.from({ length: COUNT }, (_, index) => orderAt(index));
const unpaid = list.filter(({ status }) => status === "unpaid");
const large = unpaid.filter(({ cents }) => cents > 20000);

const vector = (orders: readonly Order[]): string => {
  const rows = orders.map(
    ({ id, region, cents, status }) => `{:cents ${cents} :id ${id} :region "${region}" :status "${status}"}`,
  );
  return `[${rows.join("\n  ")}]`;
};

const eurosOf = (orders: readonly Order[]): number => orders.reduce((sum, { cents }) => sum + cents, 0) / 100;

const totals = [...Map.groupBy(list, ({ region }) => region)].map(([region, orders]) => ({
  region,
  euros: eurosOf(orders),
}));

const fixed = (euros: number): string => euros.toFixed(2);
const float = (euros: number): string => (Number.isInteger(euros) ? euros.toFixed(1) : String(euros));

const turns: readonly SavedTurn[] = [
  {
    program: `(def orders (tool/export-orders {:month data/month}))
(println (count orders) "orders came back")`,
    prints: [`${COUNT} orders came back`],
    calls: [{ name: "export-orders", args: `{:month "2026-10"}`, result: vector(list) }],
    memory: `{:orders\n ${vector(list)}}`,
    result: "nil",
  },
  {
    program: `(defn euros "Sum of some orders in euros" [rows]
  (/ (reduce + (map :cents rows)) 100.0))
(def unpaid (filter (fn [o] (= (:status o) "unpaid")) orders))
(def totals
  (map (fn [[region rows]] {:region region :euros (euros rows)})
       (group-by :region orders)))
(println (count unpaid) "unpaid," (format "%.2f" (euros unpaid)) "EUR")
(map (fn [t] (println (:region t) (format "%.2f" (:euros t)))) (sort-by :euros > totals))`,
    prints: [
      `${unpaid.length} unpaid, ${fixed(eurosOf(unpaid))} EUR`,
      ...totals.toSorted((a, b) => b.euros - a.euros).map(({ region, euros }) => `${region} ${fixed(euros)}`),
    ],
    memory: `{:unpaid\n ${vector(unpaid)}
 :totals\n [${totals.map(({ region, euros }) => `{:euros ${float(euros)} :region "${region}"}`).join("\n  ")}]}`,
    functions: [{ name: "euros", params: "rows", doc: "Sum of some orders in euros", returns: "float" }],
    result: "[nil nil nil nil nil]",
  },
  {
    program: `(def large (filter (fn [o] (> (:cents o) 20000)) unpaid))
(def reminded (tool/remind {:ids (map :id large)}))
(println "Reminded" reminded "customers")`,
    prints: [`Reminded ${large.length} customers`],
    calls: [{ name: "remind", args: `{:ids [${large.map(({ id }) => id).join(" ")}]}`, result: String(large.length) }],
    memory: `{:large\n ${vector(large)}\n :reminded ${large.length}}`,
    result: "nil",
  },
];

export const orders: SavedState = {
  mission:
    "Look at the orders of the month. Remind everybody who owes more than 200 EUR, and return the sum of each region with the number of reminders.",
  tools: [
    {
      name: "export-orders",
      signature: "(month :string) -> [{id :int, region :string, cents :int, status :string}]",
      description: "All orders of a month",
      answer,
      delay: "600",
    },
    {
      name: "remind",
      signature: "(ids [:int]) -> :int",
      description: "Remind the customers of these orders; gives how many were reminded",
      answer: "({ ids }) => ids.length",
    },
  ],
  data: `{:month "2026-10"}`,
  signature: "() -> {reminded :int, totals [{region :string, euros :float}]}",
  options: { maxTurns: "6" },
  program: "(tool/export-orders {:month data/month})",
  turns,
  replies: repliesOf(turns, fenced("(return {:reminded reminded :totals totals})")),
};
