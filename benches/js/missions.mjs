// Ten recorded missions: the replies of a model, turn by turn, and its tools.

import { SubAgent } from "turnfold";

/** The step of a mission. */
export async function recordedStep({ replies, data = {}, ...about }) {
  const left = [...replies];
  const agent = new SubAgent({ ...about, maxTurns: replies.length + 1, llm: () => left.shift() });
  return agent.run({ data });
}

const range = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const pick = (list, index) => list[index % list.length];

const products = range(60, (index) => ({
  id: index,
  name: `${pick(["Desk lamp", "Floor lamp", "Office chair", "Standing desk", "Monitor arm"], index)} ${index}`,
  category: pick(["lighting", "lighting", "furniture", "furniture", "electronics"], index),
  price: 20 + ((index * 37) % 400),
  stock: (index * 7) % 12,
}));

const emails = range(50, (index) => ({
  id: index,
  from: `${pick(["ann", "bob", "cleo", "dan"], index)}@example.com`,
  subject: pick(["Invoice overdue", "Lunch on Friday?", "Server is down", "Newsletter", "Contract draft"], index),
  body: `Hello,\n\n${pick(["please pay", "are you free", "we see errors", "news of the week", "see the draft"], index)}. `.repeat(
    12,
  ),
}));

const logs = range(400, (index) => ({
  time: `2026-03-01T10:${String(index % 60).padStart(2, "0")}:00Z`,
  level: pick(["info", "info", "info", "warn", "error"], index),
  service: pick(["api", "billing", "search"], index),
  message: `${pick(["request served", "slow query", "timeout after 3000 ms", "cache miss", "connection reset"], index)} #${index}`,
}));

/** The reply of a model for one month of a year. */
const month = (number) =>
  `I read month ${number} and look at its size, its sum and its best products before I go on to the next one.\n\n\`\`\`clojure\n(def m${number} (tool/sales {:month ${number}}))\n(println "month ${number}" (count m${number}) (sum-by :amount m${number}))\n(println (take 3 (sort-by :amount > m${number})))\n\`\`\``;

/** Each has a mission, its tools and data, and the replies of the model. */
export const missions = [
  {
    mission: "Find three products in stock with the best reviews, at least one of them a lamp",
    data: { products },
    tools: {
      reviews: [
        "(id :int) -> [{stars :int, text :string}]",
        ({ id }) =>
          range(4, (index) => ({ stars: 1 + ((id + index) % 5), text: "It works well and looks good. ".repeat(3) })),
      ],
    },
    replies: [
      "I look at what there is.\n```clojure\n(def in-stock (filter #(pos? (:stock %)) data/products))\n(println (count in-stock) (frequencies (map :category in-stock)))\n```",
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(def rated (pmap (fn [p] (assoc p :reviews (tool/reviews {:id (:id p)}))) (take 20 in-stock)))\n(println (count rated))\n```",
      'That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(defn score "Mean stars of a product" [p] (avg (map :stars (:reviews p))))\n(def ranked (sort-by score > rated))\n(println (map (juxt :name score) (take 5 ranked)))\n```',
      'The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def lamp (first (filter #(includes? (:name %) "lamp") ranked)))\n(def best (take 3 (distinct (cons lamp ranked))))\n```',
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(return (mapv #(select-keys % [:id :name :price]) best))\n```",
    ],
  },
  {
    mission: "Sort the inbox: which mails need an answer today?",
    tools: { inbox: ["() -> [{id :int, from :string, subject :string, body :string}]", () => emails] },
    replies: [
      "I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(def mails (tool/inbox))\n```",
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(println (frequencies (map :subject mails)))\n```",
      'That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def urgent? #{"Invoice overdue" "Server is down"})\n(def urgent (filter #(urgent? (:subject %)) mails))\n(println (count urgent))\n```',
      'The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(defn summary "One line of a mail" [m] (str (:from m) ": " (:subject m)))\n(println (join "\\n" (map summary (take 5 urgent))))\n```',
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(return {:ids (mapv :id urgent)})\n```",
    ],
  },
  {
    mission: "Why was the shop slow this morning? Name the service and the cause",
    data: { logs },
    replies: [
      "I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(println (frequencies (map :level data/logs)))\n```",
      'First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(def errors (filter #(= (:level %) "error") data/logs))\n(println (frequencies (map :service errors)))\n```',
      "That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(println (group-by :service (map #(select-keys % [:service :message]) (take 6 errors))))\n```",
      "The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def by-service (map-vals count (group-by :service errors)))\n```",
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(def by-service (update-vals (group-by :service errors) count))\n(println by-service)\n```",
      'I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(def slow (filter #(re-find #"slow|timeout" (:message %)) data/logs))\n(println (count slow) (frequencies (map :service slow)))\n```',
      'First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(return {:service (key (apply max-key val by-service)) :cause "connections are reset"})\n```',
    ],
  },
  {
    mission: "Refund every order that arrived late, and tell the customers",
    tools: {
      orders: [
        "() -> [{id :int, customer :string, total :float, days :int}]",
        () => range(30, (id) => ({ id, customer: `c${id}`, total: 10.5 + id, days: id % 9 })),
      ],
      refund: ["(id :int, amount :float) -> :any", () => null],
      mail: ["(to :string, text :string) -> :any", () => null],
    },
    replies: [
      "That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def orders (tool/orders))\n(println (count orders))\n```",
      "The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def late (filter #(> (:days %) 6) orders))\n(println (map :id late))\n```",
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(doseq [o late] (tool/refund {:id (:id o) :amount (:total o)}))\n```",
      'I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(doseq [o late] (tool/mail {:to (:customer o) :text (str "Sorry! We sent you " (:total o) " back.")}))\n```',
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(return {:refunded (count late) :total (sum-by :total late)})\n```",
    ],
  },
  {
    mission: "Book the cheapest flight with one stop at most, and a hotel for two nights",
    tools: {
      flights: [
        "(from :string, to :string) -> [{id :string, price :float, stops :int}]",
        () => range(12, (index) => ({ id: `F${index}`, price: 90 + ((index * 53) % 210), stops: index % 3 })),
      ],
      hotels: [
        "(city :string) -> [{id :string, price :float, stars :int}]",
        () => range(15, (index) => ({ id: `H${index}`, price: 60 + ((index * 31) % 140), stars: 1 + (index % 5) })),
      ],
      book: ["(kind :string, id :string) -> {code :string}", ({ kind, id }) => ({ code: `${kind}-${id}` })],
    },
    replies: [
      'That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def flights (tool/flights {:from "HAM" :to "LIS"}))\n(println flights)\n```',
      'The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def flight (first (sort-by :price (filter #(<= (:stops %) 1) flights))))\n(def hotels (tool/hotels {:city "Lisbon"}))\n(println flight)\n```',
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(def hotel (->> hotels (filter #(>= (:stars %) 3)) (sort-by :price) first))\n(println hotel)\n```",
      'I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(def booked-flight (tool/book "flight" (:id flight)))\n(def booked-hotel (tool/book "hotel" (:id hotel)))\n```',
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(return {:flight (:code booked-flight) :hotel (:code booked-hotel) :price (+ (:price flight) (* 2 (:price hotel)))})\n```",
    ],
  },
  {
    mission: "Which products have to be ordered again, and how many of each?",
    data: { products },
    tools: { sold: ["(id :int) -> :int", ({ id }) => (id * 5) % 40] },
    replies: [
      "That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def low (filter #(< (:stock %) 4) data/products))\n(println (count low))\n```",
      "The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def sold (pmap #(tool/sold (:id %)) low))\n(def needed (map (fn [p n] {:id (:id p) :order (- n (:stock p))}) low sold))\n(println needed)\n```",
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(def orders (filter (comp pos? :order) needed))\n(println (count orders) (sum-by :order orders))\n```",
      "I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(return (vec orders))\n```",
    ],
  },
  {
    mission: "What do the answers of the survey say about the new page?",
    data: {
      answers: range(120, (index) => ({
        age: 18 + (index % 50),
        grade: 1 + ((index * 3) % 5),
        text: pick(
          ["I like it", "Too slow on my phone", "Where is the search?", "Fine", "The colours are nice"],
          index,
        ),
      })),
    },
    replies: [
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(println (count data/answers) (first data/answers))\n```",
      "That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def grades (frequencies (map :grade data/answers)))\n(println grades (avg (map :grade data/answers)))\n```",
      "The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def texts (sort-by val > (frequencies (map :text data/answers))))\n(println texts)\n```",
      'Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(defn group "Young, middle or old" [a] (cond (< (:age a) 30) :young (< (:age a) 50) :middle :else :old))\n(def by-age (update-vals (group-by group data/answers) #(avg (map :grade %))))\n(println by-age)\n```',
      "I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(def complaints (filter #(<= (:grade %) 2) data/answers))\n(println (frequencies (map :text complaints)))\n```",
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(return {:mean (avg (map :grade data/answers)) :by-age by-age :topics (mapv key (take 3 texts))})\n```",
    ],
  },
  {
    mission: "Find an hour tomorrow when all five can meet",
    tools: {
      calendar: [
        "(person :string) -> [{from :int, to :int}]",
        ({ person }) => [
          { from: 9 + (person.length % 3), to: 11 },
          { from: 13, to: 14 + (person.length % 2) },
        ],
      ],
    },
    data: { people: ["ann", "bob", "cleo", "daniel", "eve"] },
    replies: [
      "That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def busy (zipmap data/people (pmap #(tool/calendar %) data/people)))\n(println busy)\n```",
      'The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(defn free? "True when nobody of them is busy in that hour" [hour] (not-any? (fn [[_ slots]] (some #(and (<= (:from %) hour) (< hour (:to %))) slots)) busy))\n(def hours (filter free? (range 9 18)))\n(println hours)\n```',
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(return {:hour (first hours)})\n```",
    ],
  },
  {
    mission: "Read the page of each supplier and list their delivery times",
    tools: {
      fetch: [
        "(url :string) -> :string",
        ({ url }) =>
          `<html><h1>${url}</h1><p>Delivery in ${url.length % 7} days.</p>${"<p>About us and our values.</p>".repeat(80)}</html>`,
      ],
    },
    data: { urls: range(9, (index) => `https://supplier-${"x".repeat(index)}.example/delivery`) },
    replies: [
      "I have checked the result against the data, and it is what was asked for. I return it in the expected shape.\n\n```clojure\n(def pages (pmap #(tool/fetch %) data/urls))\n```",
      "First I want to see what I have and how much of it there is, before I decide which of it matters for the mission.\n\n```clojure\n(println (subs (first pages) 0 200))\n```",
      'That narrows it down. Next I take the part that matters and look at how it is distributed, so that I do not have to read all of it.\n\n```clojure\n(def days (map #(parse-long (second (re-find #"in (\\d+) days" %))) pages))\n(println days)\n```',
      "The numbers look plausible. I define a small function for this, because I will need it again, and print only the top of the list.\n\n```clojure\n(def listed (zipmap data/urls days))\n```",
      "Now I have what I need for the decision. I keep it under a name and check one example before I answer.\n\n```clojure\n(return listed)\n```",
    ],
  },
  {
    mission: "Write the report of the year: each month's sales, what changed, and the three products to look at",
    tools: {
      sales: [
        "(month :int) -> [{product :string, amount :float}]",
        ({ month }) => {
          if (month > 12) throw new Error("there are twelve months");
          return range(40, (index) => ({ product: `P${index}`, amount: ((index + 3) * month * 17) % 900 }));
        },
      ],
    },
    replies: [
      ...range(12, (index) => month(index + 1)),
      "Thirteen would be next year; I see whether there is something.\n\n```clojure\n(def m13 (tool/sales {:month 13}))\n```",
      "There is nothing behind December. I put the months together and look at the sums.\n\n```clojure\n(def months [m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12])\n(def sums (mapv #(sum-by :amount %) months))\n(println sums)\n```",
      "Next I look at how each product did over the year.\n\n```clojure\n(def by-product (update-vals (group-by :product (apply concat months)) #(sum-by :amount %)))\n(println (take 5 (sort-by val > by-product)))\n```",
      '```clojure\n(defn change "The difference from one month to the next" [n] (- (nth sums n) (nth sums (dec n))))\n(def changes (mapv change (range 1 12)))\n(println changes)\n```',
      "I choose the three products and check that they are really the weakest.\n\n```clojure\n(def weakest (take 3 (sort-by val by-product)))\n(println weakest)\n```",
      "That is all. I return the report.\n\n```clojure\n(return {:sums sums :changes changes :look-at (mapv key weakest)})\n```",
    ],
  },
];
