import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

type Kind = "newsletter" | "invoice" | "customer" | "colleague";

/** The inbox, message by message. */
const inbox: readonly (readonly [kind: Kind, from: string, subject: string])[] = [
  ["newsletter", "news@weeklybyte.example", "Weekly Byte #311: caches, all the way down"],
  ["customer", "m.okafor@harbor.example", "Export still stops at row 10,000"],
  ["invoice", "billing@cloudrow.example", "Invoice CR-20391 for October"],
  ["newsletter", "deals@trainline.example", "Deals: two for one to Lyon until Sunday"],
  ["colleague", "ana@northwind.example", "Lunch on Thursday?"],
  ["newsletter", "digest@forum.example", "Daily digest: 14 topics you follow"],
  ["newsletter", "hello@paperclub.example", "Newsletter: three papers on forgetting"],
  ["colleague", "ravi@northwind.example", "Notes from the planning round"],
  ["invoice", "accounts@deskandchair.example", "Invoice 88-1204, due in 14 days"],
  ["customer", "it@stadtwerke.example", "SSO login loops since the update"],
  ["newsletter", "digest@forum.example", "Daily digest: 9 topics you follow"],
  ["newsletter", "news@weeklybyte.example", "Weekly Byte #312: who owns the clock?"],
  ["colleague", "jo@northwind.example", "Draft of the release post"],
  ["invoice", "billing@cloudrow.example", "Invoice CR-20417, correction"],
  ["newsletter", "events@devmeet.example", "Newsletter: meetups near you in November"],
  ["colleague", "ana@northwind.example", "Re: Lunch on Thursday?"],
  ["customer", "l.haddad@meridian.example", "Two seats too many on our plan"],
  ["newsletter", "deals@trainline.example", "Deals: night trains are back"],
  ["newsletter", "digest@forum.example", "Daily digest: 22 topics you follow"],
  ["invoice", "noreply@domainbarn.example", "Invoice for the renewal of northwind.example"],
  ["colleague", "security@northwind.example", "Reminder: rotate your keys this week"],
  ["newsletter", "hello@paperclub.example", "Newsletter: reading group, part 2"],
  ["customer", "priya@finch.example", "How do I restore a deleted workspace?"],
  ["newsletter", "news@weeklybyte.example", "Weekly Byte #313: the year of the small model"],
  ["colleague", "ravi@northwind.example", "Can you review the migration?"],
  ["invoice", "billing@mailpost.example", "Invoice MP-7730, 41.20 EUR"],
  ["newsletter", "digest@forum.example", "Daily digest: 4 topics you follow"],
  ["newsletter", "offers@keyboards.example", "Deals: the split one is in stock again"],
  ["colleague", "jo@northwind.example", "Release post: comments by noon, please"],
  ["customer", "ops@kestrel.example", "Webhook retries arrive out of order"],
  ["invoice", "accounts@printshop.example", "Invoice 2291: 200 stickers"],
  ["newsletter", "events@devmeet.example", "Newsletter: call for talks closes soon"],
  ["newsletter", "digest@forum.example", "Daily digest: 17 topics you follow"],
  ["colleague", "ana@northwind.example", "Office plants, a vote"],
  ["customer", "m.okafor@harbor.example", "Re: Export still stops at row 10,000"],
  ["newsletter", "hello@paperclub.example", "Newsletter: what we got wrong about memory"],
  ["invoice", "billing@cloudrow.example", "Invoice CR-20502 for November"],
  ["newsletter", "deals@trainline.example", "Deals: last seats for the holidays"],
  ["colleague", "ravi@northwind.example", "Migration merged, thanks"],
  ["newsletter", "digest@forum.example", "Daily digest: 11 topics you follow"],
  ["customer", "w.lind@orrery.example", "Quote for 60 seats by Friday?"],
  ["newsletter", "news@weeklybyte.example", "Weekly Byte #314: logs nobody reads"],
  ["invoice", "accounts@deskandchair.example", "Invoice 88-1251, second reminder"],
  ["colleague", "security@northwind.example", "Your keys were rotated"],
  ["newsletter", "offers@keyboards.example", "Deals: keycaps, 30 % off"],
  ["invoice", "billing@mailpost.example", "Invoice MP-7791, 38.90 EUR"],
  ["customer", "priya@finch.example", "Re: How do I restore a deleted workspace?"],
  ["colleague", "jo@northwind.example", "It is out!"],
  ["newsletter", "digest@forum.example", "Daily digest: 6 topics you follow"],
  ["colleague", "ana@northwind.example", "Friday cake"],
];

const idsOf = (wanted: Kind): readonly number[] =>
  inbox.flatMap(([kind], index) => (kind === wanted ? [index + 1] : []));

const mail = (id: number): string => `{:id ${id} :from "${inbox[id - 1]?.[1]}" :subject "${inbox[id - 1]?.[2]}"}`;

const vector = (items: readonly (string | number)[]): string => `[${items.join(" ")}]`;

const senders = Map.groupBy(inbox, ([, from]) => from);
const bySize = [...senders].sort(([, a], [, b]) => b.length - a.length);

const senderCounts = `{${bySize.map(([from, mails]) => `"${from}" ${mails.length}`).join("\n  ")}}`;

const callsOf = (name: string, ids: readonly number[], args: (id: number) => string): SavedTurn["calls"] & {} =>
  ids.map((id) => ({ name, args: args(id), result: "nil" }));

const newsletters = idsOf("newsletter");
const invoices = idsOf("invoice");
const customers = idsOf("customer");
const waiting = `[${customers.map((id) => mail(id)).join("\n  ")}]`;

const turns: readonly SavedTurn[] = [
  {
    program: `(def senders (frequencies (map :from data/emails)))
(println (count data/emails) "messages from" (count senders) "senders")
(println "Most mail:" (join ", " (map first (take 4 (sort-by second > senders)))))
senders`,
    prints: [
      `${inbox.length} messages from ${senders.size} senders`,
      `Most mail: ${bySize
        .slice(0, 4)
        .map(([from]) => from)
        .join(", ")}`,
    ],
    memory: `{:senders\n ${senderCounts}}`,
    result: senderCounts,
  },
  {
    program: `(defn newsletter? "True for mail that nobody waits for" [m]
  (boolean (re-find #"^(Weekly|Daily|Deals|Newsletter)" (:subject m))))
(def archived (map :id (filter newsletter? data/emails)))
(pmap (fn [id] (tool/archive {:id id})) archived)
(count archived)`,
    calls: callsOf("archive", newsletters, (id) => `{:id ${id}}`),
    memory: `{:archived ${vector(newsletters)}}`,
    functions: [{ name: "newsletter?", params: "m", doc: "True for mail that nobody waits for", returns: "boolean" }],
    result: String(newsletters.length),
  },
  {
    program: `(def forwarded
  (map :id (filter (fn [m] (starts-with? (:subject m) "Invoice")) data/emails)))
(pmap (fn [id] (tool/forward {:id id :to "accounting@northwind.example"})) forwarded)
(println "Forwarded" (count forwarded) "invoices")`,
    prints: [`Forwarded ${invoices.length} invoices`],
    calls: callsOf("forward", invoices, (id) => `{:id ${id} :to "accounting@northwind.example"}`),
    memory: `{:forwarded ${vector(invoices)}}`,
    result: "nil",
  },
  {
    program: `(def handled (set (concat archived forwarded)))
(def waiting
  (filter (fn [m] (not (or (contains? handled (:id m))
                           (ends-with? (:from m) "@northwind.example"))))
          data/emails))
(pmap (fn [m] (tool/flag {:id (:id m) :note (:subject m)})) waiting)
waiting`,
    calls: callsOf("flag", customers, (id) => `{:id ${id} :note "${inbox[id - 1]?.[2]}"}`),
    memory: `{:handled #{${[...newsletters, ...invoices].join(" ")}}
 :waiting\n ${waiting}}`,
    result: waiting,
  },
];

export const emails: SavedState = {
  mission:
    "Triage the inbox: archive newsletters, forward invoices to accounting@northwind.example, flag every customer who waits for an answer. Never do anything twice. Return how many of each.",
  tools: [
    {
      name: "archive",
      signature: "(id :int) -> :any",
      description: "Archive a message; gives nil",
      answer: "nil",
      delay: "40",
    },
    {
      name: "forward",
      signature: "(id :int, to :string) -> :any",
      description: "Forward a message; gives nil",
      answer: "nil",
      delay: "40",
    },
    {
      name: "flag",
      signature: "(id :int, note :string) -> :any",
      description: "Flag a message for a person; gives nil",
      answer: "nil",
      delay: "40",
    },
  ],
  data: `{:emails\n [${inbox.map((_, index) => mail(index + 1)).join("\n  ")}]}`,
  signature: "() -> {archived :int, forwarded :int, flagged :int}",
  options: { maxTurns: "6" },
  program: `(def from-priya
  (filter (fn [m] (= (:from m) "priya@finch.example")) data/emails))
(pmap (fn [m] (tool/flag {:id (:id m) :note (:subject m)})) from-priya)
(map :subject from-priya)`,
  turns,
  replies: repliesOf(
    turns,
    `Nothing is left to be done twice.\n\n${fenced(`(return {:archived (count archived)
         :forwarded (count forwarded)
         :flagged (count waiting)})`)}`,
  ),
};
