import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

const electronics = `[{:category "Electronics" :name "Laptop" :price 1200}
 {:category "Electronics" :name "Mouse" :price 25}
 {:category "Electronics" :name "Headphones" :price 180}
 {:category "Electronics" :name "Monitor" :price 340}]`;

const reviews = `[{:product "Laptop" :stars 4.5 :text "Fast, quiet, and the battery lasts a working day. The lid picks up fingerprints, which I can live with."}
 {:product "Mouse" :stars 4.2 :text "Small, but it fits my hand. The wheel is a little loud in a quiet room, the buttons are not."}
 {:product "Headphones" :stars 3.1 :text "Good sound for the price until the left side went silent after a month. The shop replaced them, and it happened again."}
 {:product "Monitor" :stars 4.6 :text "Sharp text and colours right out of the box. The stand can be set high enough, and the power supply is built in."}
 {:product "Laptop" :stars 4.5 :text "Bought it for travel: light, wakes at once, charges from the same plug as my phone."}
 {:product "Mouse" :stars 4.2 :text "Works on glass, as promised. One battery has lasted since spring."}
 {:product "Headphones" :stars 3.1 :text "Comfortable for an hour, then they press. The app asks for an account, so I never installed it."}
 {:product "Monitor" :stars 4.6 :text "I put two of them side by side and they match. No dead pixels in either."}]`;

const inventory = `{"Laptop" 3 "Mouse" 41 "Headphones" 0 "Monitor" 7}`;

const candidates = `[{:category "Electronics" :name "Mouse" :price 25}
 {:category "Electronics" :name "Monitor" :price 340}]`;

const misspelled = `(def candidates (filter in-stock electronics))
(println "Candidates:" (join ", " (map :name candidates)))`;

const turns: readonly SavedTurn[] = [
  {
    program: `(def electronics
  (filter (fn [p] (= (:category p) "Electronics")) data/products))
electronics`,
    memory: `{:electronics\n${electronics}}`,
    result: electronics,
  },
  {
    program: `(def reviews (tool/search-reviews {:category "Electronics"}))
(def inventory (tool/get-inventory))
(defn in-stock? "True when the item can be ordered" [item]
  (pos? (get inventory (:name item) 0)))
{:reviews reviews :inventory inventory}`,
    calls: [
      { name: "search-reviews", args: `{:category "Electronics"}`, result: reviews },
      { name: "get-inventory", args: "{}", result: inventory },
    ],
    memory: `{:reviews\n${reviews}\n :inventory ${inventory}}`,
    functions: [{ name: "in-stock?", params: "item", doc: "True when the item can be ordered", returns: "boolean" }],
    result: `{:reviews ${reviews}\n :inventory ${inventory}}`,
  },
  {
    success: false,
    program: misspelled,
    reply: `I have the stock check already, so I can narrow the list down.\n\n\`\`\`clojure\n${misspelled}\n\`\`\``,
    reason: "unbound_var",
    message: "`in-stock` is not defined",
    hint: "did you mean `in-stock?`?",
    lost: "candidates",
  },
  {
    program: `(def candidates
  (filter (fn [p] (and (in-stock? p) (<= (:price p) data/budget)))
          electronics))
(println "Candidates:" (join ", " (map :name candidates)))`,
    prints: ["Candidates: Mouse, Monitor"],
    memory: `{:candidates\n${candidates}}`,
    result: "nil",
  },
  {
    program: `(defn stars "Average stars, 0 when nobody reviewed it" [item]
  (or (:stars (first (filter (fn [r] (= (:product r) (:name item))) reviews)))
      0))
(def picks (sort-by :price (filter (fn [p] (>= (stars p) 4)) candidates)))
(map (fn [p] (tool/reserve {:product (:name p)})) picks)
(println (join "\\n" (map (fn [p] (str (:name p) ": " (:price p) " EUR, " (stars p) " stars")) picks)))`,
    prints: ["Mouse: 25 EUR, 4.2 stars\nMonitor: 340 EUR, 4.6 stars"],
    calls: [
      { name: "reserve", args: `{:product "Mouse"}`, result: "nil" },
      { name: "reserve", args: `{:product "Monitor"}`, result: "nil" },
    ],
    memory: `{:picks\n${candidates}}`,
    functions: [{ name: "stars", params: "item", doc: "Average stars, 0 when nobody reviewed it", returns: "float" }],
    result: "nil",
  },
];

export const shopping: SavedState = {
  mission:
    "Find well-reviewed electronics in stock within the budget. Reserve one of each and return their names, cheapest first.",
  tools: [
    {
      name: "search-reviews",
      signature: "(category :string) -> [{product :string, stars :float, text :string}]",
      description: "Search the review archive",
      answer: reviews,
      delay: "300",
    },
    {
      name: "get-inventory",
      signature: "() -> :map",
      description: "Pieces in stock by product name",
      answer: inventory,
    },
    { name: "reserve", signature: "(product :string) -> :any", description: "Put one piece aside", answer: "nil" },
  ],
  data: `{:budget 400
 :products
 [{:name "Laptop" :category "Electronics" :price 1200}
  {:name "Mouse" :category "Electronics" :price 25}
  {:name "Desk" :category "Furniture" :price 300}
  {:name "Headphones" :category "Electronics" :price 180}
  {:name "Lamp" :category "Furniture" :price 45}
  {:name "Monitor" :category "Electronics" :price 340}
  {:name "Notebook" :category "Stationery" :price 6}]}`,
  signature: "() -> {names [:string], total :int}",
  fields: [
    { path: "names", description: "Product names, cheapest first" },
    { path: "total", description: "Sum of their prices" },
  ],
  options: { maxTurns: "8" },
  program: `(def affordable
  (filter (fn [p] (<= (:price p) data/budget)) data/products))
(println (count affordable) "of" (count data/products) "products are within" data/budget)
(map :name affordable)`,
  turns,
  replies: repliesOf(
    turns,
    fenced(`(return {:names (map :name picks)
         :total (reduce + (map :price picks))})`),
  ),
};
