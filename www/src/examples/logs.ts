import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

const minutes = ["14:05", "14:10", "14:15", "14:20", "14:25", "14:30"];

/** Latencies in ms by service, minute by minute. */
const latencies: Readonly<Record<string, { readonly p50: readonly number[]; readonly p99: readonly number[] }>> = {
  gateway: { p50: [96, 99, 241, 322, 301, 104], p99: [260, 280, 4200, 8000, 8300, 290] },
  cart: { p50: [31, 30, 33, 36, 34, 31], p99: [190, 180, 260, 310, 290, 200] },
  checkout: { p50: [88, 91, 230, 310, 290, 95], p99: [240, 260, 4100, 7900, 8200, 270] },
  payments: { p50: [52, 55, 190, 274, 251, 57], p99: [150, 160, 3900, 7800, 8050, 170] },
  inventory: { p50: [18, 18, 19, 18, 19, 18], p99: [140, 150, 190, 180, 170, 150] },
  mailer: { p50: [210, 220, 205, 230, 215, 208], p99: [600, 640, 590, 610, 630, 620] },
};

const services = Object.keys(latencies);

const pointsOf = (service: string): string => {
  const points = minutes.map(
    (minute, index) =>
      `{:minute "${minute}" :p50 ${latencies[service]?.p50[index]} :p99 ${latencies[service]?.p99[index]}}`,
  );
  return `[${points.join("\n  ")}]`;
};

const checkout = pointsOf("checkout");
const byService = `[${services.map((service) => `{:service "${service}" :points\n ${pointsOf(service)}}`).join("\n ")}]`;

const errors = `[{:time "14:14:58" :message "config reload: pool.max 40 -> 4"}
 {:time "14:15:07" :message "acquire timeout after 5000 ms, pool 4/4 busy, 61 waiting"}
 {:time "14:19:40" :message "acquire timeout after 5000 ms, pool 4/4 busy, 118 waiting"}
 {:time "14:27:12" :message "config reload: pool.max 4 -> 40"}]`;

const deploys = `[{:service "cart" :at "13:20" :version "2.18.0"}
 {:service "checkout" :at "11:05" :version "5.2.1"}
 {:service "payments" :at "14:14" :version "config only"}]`;

const latencyAnswer = `({ service }) => {
  const latencies = {
${services.map((service) => `    ${service}: ${JSON.stringify(latencies[service])},`).join("\n")}
  };
  const { p50, p99 } = latencies[service];
  return ${JSON.stringify(minutes)}.map((minute, i) => ({ minute, p50: p50[i], p99: p99[i] }));
}`;

const asTable = [
  "minute   p50   p99",
  ...minutes.map(
    (minute, index) =>
      `${minute} ${String(latencies.checkout?.p50[index]).padStart(6)} ${String(latencies.checkout?.p99[index]).padStart(5)}`,
  ),
].join("\n");

const finalTry = `(def worst (take 3 (sort-by > :p99 checkout)))
(println "Worst minutes:" (join ", " (map :minute worst)))
(return {:service "payments"
         :cause "pool.max was set from 40 to 4 at 14:14:58"
         :evidence (map :minute worst)})`;

const turns: readonly SavedTurn[] = [
  {
    program: `(def by-service
  (pmap (fn [s] {:service s :points (tool/latency {:service s})}) data/services))
(defn peak "Highest p99 of a service in ms" [s] (apply max (map :p99 (:points s))))
(map (fn [s] (println (:service s) "peak p99" (peak s) "ms")) by-service)
by-service`,
    prints: services.map((service) => `${service} peak p99 ${Math.max(...(latencies[service]?.p99 ?? []))} ms`),
    calls: services.map((service) => ({ name: "latency", args: `{:service "${service}"}`, result: pointsOf(service) })),
    memory: `{:by-service\n${byService}}`,
    functions: [{ name: "peak", params: "s", doc: "Highest p99 of a service in ms", returns: "integer" }],
    result: byService,
  },
  {
    program: `(def checkout (tool/latency {:service "checkout"}))
(def rollouts (tool/deploys))
(defn as-table "Minutes and percentiles in columns" [points]
  (join "\\n" (cons "minute   p50   p99" (map (fn [p] (format "%s %6d %5d" (:minute p) (:p50 p) (:p99 p))) points))))
(println (as-table checkout))
(println "Slow minutes:" (join ", " (map :minute (filter (fn [m] (> (:p99 m) 1000)) checkout))))
(map (fn [d] (println (:service d) "rolled out at" (:at d) "-" (:version d))) rollouts)
(println "Nothing was rolled out on gateway or mailer")
(println "cart 2.18.0 is an hour too early")
(println "payments changed a minute before the first slow one")`,
    prints: [
      asTable,
      "Slow minutes: 14:15, 14:20, 14:25",
      "cart rolled out at 13:20 - 2.18.0",
      "checkout rolled out at 11:05 - 5.2.1",
      "payments rolled out at 14:14 - config only",
      "Nothing was rolled out on gateway or mailer",
      "cart 2.18.0 is an hour too early",
      "payments changed a minute before the first slow one",
    ],
    calls: [
      { name: "latency", args: `{:service "checkout"}`, result: checkout },
      { name: "deploys", args: "{}", result: deploys },
    ],
    memory: `{:checkout\n${checkout}\n :rollouts\n${deploys}}`,
    functions: [{ name: "as-table", params: "points", doc: "Minutes and percentiles in columns", returns: "string" }],
    result: "nil",
  },
  {
    program: `(def suspects (tool/query-logs {:service "payments" :level "warn"}))
(println (count suspects) "warnings in payments")
(map (fn [l] (println (:time l) (:message l))) suspects)
suspects`,
    prints: [
      "4 warnings in payments",
      "14:14:58 config reload: pool.max 40 -> 4",
      "14:15:07 acquire timeout after 5000 ms, pool 4/4 busy, 61 waiting",
      "14:19:40 acquire timeout after 5000 ms, pool 4/4 busy, 118 waiting",
      "14:27:12 config reload: pool.max 4 -> 40",
    ],
    calls: [{ name: "query-logs", args: `{:service "payments" :level "warn"}`, result: errors }],
    memory: `{:suspects\n${errors}}`,
    result: errors,
  },
  {
    success: false,
    program: finalTry,
    reply: `The pool was shrunk a few seconds before the first timeout, and put back when latency recovered. I can answer.\n\n\`\`\`clojure\n${finalTry}\n\`\`\``,
    reason: "type_error",
    message: "`sort-by` compares with `<`, `>`, `:asc`, `:desc` or a function, got the keyword `:p99`",
    hint: "write `(sort-by :price coll)` or `(sort-by :price > coll)`",
    lost: "worst",
  },
];

export const logs: SavedState = {
  mission:
    "Checkout was slow between 14:00 and 15:00. Name the service at fault and the root cause, with evidence from the logs.",
  tools: [
    {
      name: "latency",
      signature: "(service :string) -> [{minute :string, p50 :int, p99 :int}]",
      description: "Milliseconds, in steps of five minutes",
      answer: latencyAnswer,
      delay: "120",
    },
    {
      name: "query-logs",
      signature: "(service :string, level :string?) -> [{time :string, message :string}]",
      description: "Log lines of the hour",
      answer: errors,
      delay: "120",
    },
    { name: "deploys", signature: "() -> [:map]", description: "What was rolled out today", answer: deploys },
  ],
  data: `{:services [${services.map((service) => `"${service}"`).join(" ")}]
 :hour {:from "14:00" :to "15:00"}}`,
  signature: "() -> {service :string, cause :string, evidence [:string]}",
  fields: [
    { path: "cause", description: "One sentence, with the time it began" },
    { path: "evidence", description: "Log lines or measurements, oldest first" },
  ],
  program: `(def slow
  (filter (fn [p] (> (:p99 p) 1000)) (tool/latency {:service "checkout"})))
(println (count slow) "slow minutes")
(map :minute slow)`,
  turns,
  replies: repliesOf(
    turns,
    `It is the key first, then the order.\n\n${fenced(finalTry.replace("sort-by > :p99", "sort-by :p99 >").replace("(map :minute worst)})", "(sort (map :minute worst))})"))}`,
  ),
};
