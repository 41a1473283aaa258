import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

const names = [
  ...["Aldergate", "Brightwell", "Corvin", "Dunmore", "Eastlake", "Fairholm"],
  ...["Garrick", "Hollins", "Ivybridge", "Jarrow", "Kestrel", "Lindqvist"],
];
const items = ["hinges", "oak boards", "drawer slides", "clear glass", "wood glue", "brass knobs", "felt pads"];
const reasons = [
  "one crate was missing; the driver has signed for it",
  "two panes were broken, the rest is in order",
  "the rest follows in week 49, and was billed already",
  "delivered in full; the price is that of last year",
];

interface Invoice {
  readonly cents: number;
  readonly item: string;
  readonly nr: string;
  readonly order: number;
}

// The tools compute the same invoices in the sandbox.
const INVOICES = 21;
const orderAt = (s: number, i: number): number => 7000 + s * 20 + i;
const centsAt = (s: number, i: number): number => 4200 + ((s * 7919 + i * 3571) % 90000);
/** What an invoice has above its order, in cents. */
const excessAt = (s: number, i: number): number => ((s + i * 3) % 7 === 2 ? 900 + ((s * 613 + i * 271) % 5000) : 0);
const invoicesOf = (s: number): readonly Invoice[] =>
  Array.from({ length: INVOICES }, (_, i) => ({
    cents: centsAt(s, i) + excessAt(s, i),
    item: items[(s * 3 + i) % items.length] as string,
    nr: `${names[s]?.slice(0, 2).toUpperCase()}-${1100 + i * 7 + s}`,
    order: orderAt(s, i),
  }));
const noteOf = (order: number): string => `Note for ${order}: ${reasons[order % reasons.length]}.`;

const shared = `const s = ${JSON.stringify(names)}.indexOf(supplier);
  const order = (i) => 7000 + s * 20 + i;
  const agreed = (i) => 4200 + ((s * 7919 + i * 3571) % 90000);
  const excess = (i) => ((s + i * 3) % 7 === 2 ? 900 + ((s * 613 + i * 271) % 5000) : 0);`;

const pairs = (row: object): string =>
  `{${Object.entries(row)
    .map(([key, value]) => `:${key} ${JSON.stringify(value)}`)
    .join(" ")}}`;
const vector = (rows: readonly object[]): string => `[${rows.map(pairs).join("\n  ")}]`;

/** The three turns for a supplier: read its invoices, compare them with its orders, ask about the largest difference. */
function turnsOf(name: string, s: number): readonly SavedTurn[] {
  const id = name.toLowerCase();
  const invoices = invoicesOf(s);
  const orders = invoices.map(({ order }, i) => ({ cents: centsAt(s, i), order }));
  const claims = invoices
    .map((invoice, i) => ({ excess: excessAt(s, i), nr: invoice.nr, order: invoice.order }))
    .filter(({ excess }) => excess > 0);
  const { order } = claims.reduce((a, b) => (b.excess > a.excess ? b : a));
  const args = `{:supplier "${name}"}`;
  return [
    {
      program: `(def ${id} (tool/invoices ${args}))\n${id}`,
      calls: [{ name: "invoices", args, result: vector(invoices) }],
      memory: `{:${id}\n ${vector(invoices)}}`,
      result: vector(invoices),
    },
    {
      program: `(def ${id}-orders (tool/orders ${args}))\n(def ${id}-claims (differing ${id} ${id}-orders))\n${id}-claims`,
      calls: [{ name: "orders", args, result: vector(orders) }],
      memory: `{:${id}-orders\n ${vector(orders)}\n :${id}-claims\n ${vector(claims)}}`,
      result: vector(claims),
    },
    {
      program: `(def ${id}-note (tool/delivery-note {:order ${order}}))\n(println "${name}:" (count ${id}-claims) "differ," ${id}-note)`,
      prints: [`${name}: ${claims.length} differ, ${noteOf(order)}`],
      calls: [{ name: "delivery-note", args: `{:order ${order}}`, result: JSON.stringify(noteOf(order)) }],
      memory: `{:${id}-note ${JSON.stringify(noteOf(order))}}`,
      result: "nil",
    },
  ];
}

const listed = `[${names.map((name) => JSON.stringify(name)).join(" ")}]`;
const claimed = names.map((_, s) => Array.from({ length: INVOICES }, (_, i) => excessAt(s, i)).reduce((a, b) => a + b));
const totals = names.map((supplier, s) => ({ cents: claimed[s] as number, supplier }));
const sorted = totals.toSorted((a, b) => b.cents - a.cents);
const euros = (cents: number): string => (cents / 100).toFixed(2);
const sum = claimed.reduce((a, b) => a + b);

const program = `(def totals
  [${names.map((name) => `{:supplier "${name}" :cents (owed ${name.toLowerCase()}-claims)}`).join("\n   ")}])`;

const turns: readonly SavedTurn[] = [
  {
    program: `(def suppliers (tool/suppliers))
(defn differing "Invoices above their order, with the difference" [invoices orders]
  (let [ordered (zipmap (map :order orders) (map :cents orders))]
    (->> invoices
         (map (fn [i] {:nr (:nr i) :order (:order i) :excess (- (:cents i) (get ordered (:order i)))}))
         (filter (fn [c] (pos? (:excess c)))))))
suppliers`,
    calls: [{ name: "suppliers", args: "{}", result: listed }],
    memory: `{:suppliers ${listed}}`,
    functions: [
      {
        name: "differing",
        params: "invoices orders",
        doc: "Invoices above their order, with the difference",
        returns: "list[3]",
      },
    ],
    result: listed,
  },
  ...names.flatMap(turnsOf),
  {
    success: false,
    program,
    reason: "unbound_var",
    message: "`owed` is not defined",
    hint: "define it with `(def owed …)`, or bind it with `let`",
    lost: "totals",
  },
  {
    program: `(defn owed "Sum of what some claims are above their orders, in cents" [claims]
  (reduce + (map :excess claims)))
${program}
totals`,
    memory: `{:totals\n ${vector(totals)}}`,
    functions: [
      {
        name: "owed",
        params: "claims",
        doc: "Sum of what some claims are above their orders, in cents",
        returns: "integer",
      },
    ],
    result: vector(totals),
  },
  {
    program: `(def largest (first (sort-by :cents > totals)))
(def sum (reduce + (map :cents totals)))
(println "In all" (format "%.2f" (/ sum 100.0)) "EUR, most from" (:supplier largest))`,
    prints: [`In all ${euros(sum)} EUR, most from ${sorted[0]?.supplier}`],
    memory: `{:largest ${pairs(sorted[0] as object)}\n :sum ${sum}}`,
    result: "nil",
  },
];

export const suppliers: SavedState = {
  mission:
    "Check November’s invoices of all suppliers against their orders. Where an invoice is higher, read the delivery note of the largest difference, and return what we claim from each supplier.",
  tools: [
    {
      name: "suppliers",
      signature: "() -> [:string]",
      description: "The names of all suppliers",
      answer: `[${names.map((name) => `"${name}"`).join(" ")}]`,
    },
    {
      name: "invoices",
      signature: "(supplier :string) -> [{nr :string, order :int, item :string, cents :int}]",
      description: "November’s invoices of a supplier",
      answer: `({ supplier }) => {
  ${shared}
  return Array.from({ length: ${INVOICES} }, (_, i) => ({
    nr: supplier.slice(0, 2).toUpperCase() + "-" + (1100 + i * 7 + s),
    order: order(i),
    item: ${JSON.stringify(items)}[(s * 3 + i) % ${items.length}],
    cents: agreed(i) + excess(i),
  }));
}`,
    },
    {
      name: "orders",
      signature: "(supplier :string) -> [{order :int, cents :int}]",
      description: "The orders of a supplier, with the agreed price",
      answer: `({ supplier }) => {
  ${shared}
  return Array.from({ length: ${INVOICES} }, (_, i) => ({ order: order(i), cents: agreed(i) }));
}`,
    },
    {
      name: "delivery-note",
      signature: "(order :int) -> :string",
      description: "What the warehouse wrote about a delivery",
      answer: `({ order }) => "Note for " + order + ": " + ${JSON.stringify(reasons)}[order % ${reasons.length}] + "."`,
    },
  ],
  signature: "() -> {claims [{supplier :string, cents :int}], sum :int}",
  strategy: "journal",
  options: { maxTurns: "50" },
  program: `(tool/invoices {:supplier "Corvin"})`,
  turns,
  replies: repliesOf(turns, fenced("(return {:claims totals :sum sum})")),
};
