import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

const cities = ["Lisbon", "Porto", "Madrid", "Lyon", "Berlin", "Vienna", "Oslo", "Rome"] as const;

type City = (typeof cities)[number];

const weather: Readonly<Record<City, readonly [celsius: number, rain: number]>> = {
  Lisbon: [17, 12],
  Porto: [14, 68],
  Madrid: [15, 3],
  Lyon: [9, 41],
  Berlin: [4, 72],
  Vienna: [6, 55],
  Oslo: [-3, 20],
  Rome: [16, 8],
};

const fares: Readonly<Record<City, number>> = {
  Lisbon: 148,
  Porto: 139,
  Madrid: 97,
  Lyon: 44,
  Berlin: 119,
  Vienna: 132,
  Oslo: 171,
  Rome: 126,
};

const beds: Readonly<Partial<Record<City, number>>> = { Lisbon: 71, Madrid: 82, Rome: 95 };

const NIGHTS = 3;

const forecast = (city: City): string => `{:celsius ${weather[city][0]} :rain ${weather[city][1]}}`;

const weatherAnswer = `({ city }) => {
  const [celsius, rain] = ${JSON.stringify(weather)}[city];
  return { celsius, rain };
}`;

const bedCost = (city: City): number => NIGHTS * (beds[city] ?? 80);

const offers = `[{:city "Madrid" :total 440} {:city "Lisbon" :total 509} {:city "Rome" :total 537}]`;
const within = `[{:city "Madrid" :total 440} {:city "Lisbon" :total 509}]`;
const closed = `{"Lisbon" [] "Madrid" ["9 November: museums closed"]}`;

const turns: readonly SavedTurn[] = [
  {
    program: `(def forecasts
  (zipmap data/cities
          (pmap (fn [c] (tool/weather {:city c})) data/cities)))
(defn pleasant? "Warm and dry enough for a walk" [f]
  (and (>= (:celsius f) 12) (< (:rain f) 30)))
(def dry (filter (fn [c] (pleasant? (get forecasts c))) data/cities))
(println "Dry and warm:" (join ", " dry))`,
    prints: ["Dry and warm: Lisbon, Madrid, Rome"],
    calls: cities.map((city) => ({ name: "weather", args: `{:city "${city}"}`, result: forecast(city) })),
    memory: `{:forecasts {${cities.map((city) => `"${city}" ${forecast(city)}`).join("\n  ")}}
 :dry ["Lisbon" "Madrid" "Rome"]}`,
    functions: [{ name: "pleasant?", params: "f", doc: "Warm and dry enough for a walk", returns: "boolean" }],
    result: "nil",
  },
  {
    program: `(defn cost-of "Train both ways and a bed for each night" [city]
  (let [[fare bed] (pcalls (fn [] (tool/train-fare {:city city}))
                           (fn [] (tool/hotel {:city city :nights data/nights})))]
    {:city city :total (+ (* 2 fare) bed)}))
(def offers (sort-by :total (pmap cost-of dry)))
(map (fn [o] (println (:city o) (:total o) "EUR")) offers)`,
    prints: ["Madrid 440 EUR", "Lisbon 509 EUR", "Rome 537 EUR"],
    calls: (["Lisbon", "Madrid", "Rome"] as const).flatMap((city) => [
      { name: "train-fare", args: `{:city "${city}"}`, result: String(fares[city]) },
      { name: "hotel", args: `{:city "${city}" :nights ${NIGHTS}}`, result: String(bedCost(city)) },
    ]),
    memory: `{:offers ${offers}}`,
    functions: [
      { name: "cost-of", params: "city", doc: "Train both ways and a bed for each night", returns: "map[2]" },
    ],
    result: "[nil nil nil]",
  },
  {
    program: `(def within (filter (fn [o] (<= (:total o) data/budget)) offers))
(def closed
  (zipmap (map :city within)
          (pmap (fn [o] (tool/closed-days {:city (:city o)})) within)))
(println "Within the budget:" (join ", " (map :city within)))
closed`,
    prints: ["Within the budget: Madrid, Lisbon"],
    calls: [
      { name: "closed-days", args: `{:city "Madrid"}`, result: `["9 November: museums closed"]` },
      { name: "closed-days", args: `{:city "Lisbon"}`, result: "[]" },
    ],
    memory: `{:within ${within}\n :closed ${closed}}`,
    result: closed,
  },
];

export const travel: SavedState = {
  mission:
    "Find a city for three days of walking: warm, dry, and within the budget by train with a bed. Say what is closed there. Ask for everything that can be asked for at once.",
  tools: [
    {
      name: "weather",
      signature: "(city :string) -> {celsius :int, rain :int}",
      description: "Forecast for the days: degrees, and chance of rain in percent",
      answer: weatherAnswer,
      delay: "400",
    },
    {
      name: "train-fare",
      signature: "(city :string) -> :int",
      description: "EUR for one way",
      answer: `({ city }) => (${JSON.stringify(fares)})[city]`,
      delay: "300",
    },
    {
      name: "hotel",
      signature: "(city :string, nights :int) -> :int",
      description: "EUR for a bed",
      answer: `({ city, nights }) => nights * (${JSON.stringify(beds)}[city] ?? 80)`,
      delay: "500",
    },
    {
      name: "closed-days",
      signature: "(city :string) -> [:string]",
      description: "What is closed on these days",
      answer: `({ city }) => (city === "Madrid" ? ["9 November: museums closed"] : [])`,
      delay: "200",
    },
  ],
  data: `{:cities [${cities.map((city) => `"${city}"`).join(" ")}]\n :nights ${NIGHTS}\n :budget 520}`,
  signature: "() -> {city :string, total :int, closed [:string]}",
  fields: [{ path: "closed", description: "What is closed in that city" }],
  options: { maxTurns: "6" },
  program: `(pmap (fn [c] (tool/train-fare {:city c})) data/cities)`,
  turns,
  replies: repliesOf(
    turns,
    `Lisbon costs more, but nothing is closed there.

${fenced(`(def pick (first (filter (fn [o] (empty? (get closed (:city o)))) within)))
(return (assoc pick :closed (get closed (:city pick))))`)}`,
  ),
};
