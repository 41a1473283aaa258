import type { Example } from "./index.ts";

const checkout = `[{:minute "14:05" :p50 88 :p99 240} {:minute "14:10" :p50 91 :p99 260}
 {:minute "14:15" :p50 230 :p99 4100} {:minute "14:20" :p50 310 :p99 7900}
 {:minute "14:25" :p50 290 :p99 8200} {:minute "14:30" :p50 95 :p99 270}]`;

const errors = `[{:time "14:14:58" :message "config reload: pool.max 40 -> 4"}
 {:time "14:15:07" :message "acquire timeout after 5000 ms, pool 4/4 busy, 61 waiting"}
 {:time "14:19:40" :message "acquire timeout after 5000 ms, pool 4/4 busy, 118 waiting"}
 {:time "14:27:12" :message "config reload: pool.max 4 -> 40"}]`;

const deploys = `[{:service "cart" :at "13:20" :version "2.18.0"}
 {:service "checkout" :at "11:05" :version "5.2.1"}
 {:service "payments" :at "14:14" :version "config only"}]`;

const asTable = `minute   p50   p99
14:05     88   240
14:10     91   260
14:15    230  4100
14:20    310  7900
14:25    290  8200
14:30     95   270`;

const finalTry = `(def worst (take 3 (sort-by > :p99 checkout)))
(println "Worst minutes:" (join ", " (map :minute worst)))
(return {:service "payments"
         :cause "pool.max was set from 40 to 4 at 14:14:58"
         :evidence (map :minute worst)})`;

export const logs: Example = {
  id: "logs",
  title: "Log analysis, final turn, error standing",
  state: {
    mission:
      "Checkout was slow between 14:00 and 15:00. Name the service at fault and the root cause, with evidence from the logs.",
    tools: [
      {
        name: "latency",
        signature: "(service :string) -> [{minute :string, p50 :int, p99 :int}]",
        description: "Milliseconds, in steps of five minutes",
      },
      {
        name: "query-logs",
        signature: "(service :string, level :string?) -> [{time :string, message :string}]",
        description: "Log lines of the hour",
      },
      { name: "deploys", signature: "() -> [:map]", description: "What was rolled out today" },
    ],
    data: `{:services ["gateway" "cart" "checkout" "payments" "inventory" "mailer"]
 :hour {:from "14:00" :to "15:00"}}`,
    signature: "() -> {service :string, cause :string, evidence [:string]}",
    fields: [
      { path: "cause", description: "One sentence, with the time it began" },
      { path: "evidence", description: "Log lines or measurements, oldest first" },
    ],
    turns: [
      {
        program: `(def by-service
  (pmap (fn [s] {:service s :points (tool/latency {:service s})}) data/services))
(defn peak "Highest p99 of a service in ms" [s] (apply max (map :p99 (:points s))))
(map (fn [s] (println (:service s) "peak p99" (peak s) "ms")) by-service)`,
        prints: [
          "gateway peak p99 8300 ms",
          "cart peak p99 310 ms",
          "checkout peak p99 8200 ms",
          "payments peak p99 8050 ms",
          "inventory peak p99 190 ms",
          "mailer peak p99 640 ms",
        ],
        calls: ["gateway", "cart", "checkout", "payments", "inventory", "mailer"].map((service) => ({
          name: "latency",
          args: `{:service "${service}"}`,
          result: service === "checkout" ? checkout : "[]",
        })),
        memory: `{:by-service [{:service "checkout" :points ${checkout}}]}`,
        functions: [{ name: "peak", params: "s", doc: "Highest p99 of a service in ms", returns: "integer" }],
        result: "[nil nil nil nil nil nil]",
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
        functions: [
          { name: "as-table", params: "points", doc: "Minutes and percentiles in columns", returns: "string" },
        ],
        result: "nil",
      },
      {
        program: `(def suspects (tool/query-logs {:service "payments" :level "warn"}))
(println (count suspects) "warnings in payments")
(map (fn [l] (println (:time l) (:message l))) suspects)`,
        prints: [
          "4 warnings in payments",
          "14:14:58 config reload: pool.max 40 -> 4",
          "14:15:07 acquire timeout after 5000 ms, pool 4/4 busy, 61 waiting",
          "14:19:40 acquire timeout after 5000 ms, pool 4/4 busy, 118 waiting",
          "14:27:12 config reload: pool.max 4 -> 40",
        ],
        calls: [{ name: "query-logs", args: `{:service "payments" :level "warn"}`, result: errors }],
        memory: `{:suspects\n${errors}}`,
        result: "[nil nil nil nil]",
      },
      {
        success: false,
        program: finalTry,
        reply: `The pool was shrunk a few seconds before the first timeout, and put back when latency recovered. I can answer.\n\n\`\`\`clojure\n${finalTry}\n\`\`\``,
        reason: "type_error",
        message: "`sort-by` takes a key, then a comparator, then a collection; the key was `>`",
        hint: "write `(sort-by :p99 > checkout)`",
      },
    ],
  },
};
