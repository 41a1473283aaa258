// The programs by which engines are compared: each in the engines' languages, and the data that all read. What is no job for a
// language is missing.
// `size` is the number of orders in memory during the run.

const typical = {
  clojure: `
(let [open (filter (fn [order] (= (:status order) "open")) data/orders)
      by-user (group-by :user open)
      totals (map (fn [[user orders]]
                    {:user user
                     :count (count orders)
                     :total (reduce + (map :total orders))
                     :first (select-keys (first orders) [:id :total])})
                  by-user)]
  (take 5 (sort-by :total > totals)))`,
  javascript: `
(() => {
  const open = orders.filter((order) => order.status === "open");
  const byUser = new Map();
  for (const order of open) {
    const group = byUser.get(order.user);
    if (group === undefined) byUser.set(order.user, [order]);
    else group.push(order);
  }
  const totals = [...byUser].map(([user, group]) => ({
    user,
    count: group.length,
    total: group.map((order) => order.total).reduce((sum, total) => sum + total),
    first: (({ id, total }) => ({ id, total }))(group[0]),
  }));
  return totals.sort((left, right) => right.total - left.total).slice(0, 5);
})()`,
  python: `
by_user = {}
for order in orders:
    if order["status"] == "open":
        by_user.setdefault(order["user"], []).append(order)
totals = [
    {
        "user": user,
        "count": len(group),
        "total": sum([order["total"] for order in group]),
        "first": {"id": group[0]["id"], "total": group[0]["total"]},
    }
    for user, group in by_user.items()
]
sorted(totals, key=lambda each: each["total"], reverse=True)[:5]`,
  bash: `
jq -c 'map(select(.status == "open")) | group_by(.user)
  | map({user: .[0].user, count: length, total: (map(.total) | add), first: (.[0] | {id, total})})
  | sort_by(-.total) | .[:5]' /orders.json`,
};

export const rows = {
  typical: { title: "typical program, 100 maps resident", size: 100, ...typical },
  fresh: { title: "the same, fresh sandbox, data brought in", size: 100, fresh: true, ...typical },
  cold: { title: "the same, from import to first result", size: 100, cold: true, ...typical },
  fib: {
    title: "fib(25)",
    size: 0,
    clojure: "(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 25)",
    javascript: "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } fib(25)",
    python: "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(25)",
  },
  loop: {
    title: "loop to 1,000,000",
    size: 0,
    clojure: "(loop [i 0 sum 0] (if (< i 1000000) (recur (inc i) (+ sum i)) sum))",
    javascript: "(() => { let i = 0, sum = 0; while (i < 1000000) { sum += i; i += 1; } return sum; })()",
    python: "i = 0\ntotal = 0\nwhile i < 1000000:\n    total += i\n    i += 1\ntotal",
  },
  pipeline: {
    title: "filter/map/filter/map/reduce, 100,000 maps",
    size: 100_000,
    clojure: `
(->> data/orders
     (filter (fn [order] (= (:status order) "open")))
     (map (fn [order] (assoc order :net (* 2 (:total order)))))
     (filter (fn [order] (< (:net order) 1000)))
     (map (fn [order] (+ (:net order) (:id order))))
     (reduce +))`,
    javascript: `
orders
  .filter((order) => order.status === "open")
  .map((order) => ({ ...order, net: 2 * order.total }))
  .filter((order) => order.net < 1000)
  .map((order) => order.net + order.id)
  .reduce((sum, number) => sum + number)`,
    python: `
with_net = [{**order, "net": 2 * order["total"]} for order in orders if order["status"] == "open"]
sum([order["net"] + order["id"] for order in with_net if order["net"] < 1000])`,
    bash: `
jq 'map(select(.status == "open") | .net = 2 * .total | select(.net < 1000) | .net + .id) | add' /orders.json`,
  },
  group: {
    title: "group-by and sort-by, 50,000 maps",
    size: 50_000,
    clojure: `
(let [groups (group-by :user data/orders)
      largest (first (sort-by (fn [[user orders]] (- (count orders))) groups))
      sorted (sort-by :total data/orders)]
  [(count groups) (first largest) (count (second largest)) (:id (first sorted)) (:id (last sorted))])`,
    javascript: `
(() => {
  const groups = new Map();
  for (const order of orders) {
    const group = groups.get(order.user);
    if (group === undefined) groups.set(order.user, [order]);
    else group.push(order);
  }
  const largest = [...groups].sort(([, left], [, right]) => right.length - left.length)[0];
  const sorted = [...orders].sort((left, right) => left.total - right.total);
  return [groups.size, largest[0], largest[1].length, sorted[0].id, sorted[sorted.length - 1].id];
})()`,
    python: `
groups = {}
for order in orders:
    groups.setdefault(order["user"], []).append(order)
largest = sorted(groups.items(), key=lambda group: -len(group[1]))[0]
by_total = sorted(orders, key=lambda order: order["total"])
[len(groups), largest[0], len(largest[1]), by_total[0]["id"], by_total[-1]["id"]]`,
    bash: `
jq -c '(group_by(.user)) as $groups | ($groups | sort_by(-length) | .[0]) as $largest | sort_by(.total) as $sorted
  | [($groups | length), $largest[0].user, ($largest | length), $sorted[0].id, $sorted[-1].id]' /orders.json`,
  },
  strings: {
    title: "join, split, parse 10,000 numbers",
    size: 0,
    clojure: `
(let [text (str/join "," (range 10000))
      numbers (map parse-long (str/split text #","))]
  [(count text) (reduce + numbers)])`,
    javascript: `
(() => {
  const text = Array.from({ length: 10000 }, (_, index) => index).join(",");
  const numbers = text.split(",").map((number) => Number.parseInt(number, 10));
  return [text.length, numbers.reduce((sum, number) => sum + number)];
})()`,
    python: `
text = ",".join([str(number) for number in range(10000)])
numbers = [int(number) for number in text.split(",")]
[len(text), sum(numbers)]`,
    bash: `
seq -s, 0 9999 | tr -d '\\n' | awk '{ count = split($0, numbers, ","); for (i = 1; i <= count; i++) sum += numbers[i];
  print "[" length($0) "," sum "]" }'`,
  },
};

/**
 * Orders without pattern, and the same in every run. Totals are all different, so that sorting has one answer, and one
 * user has the most orders.
 */
export function orders(size) {
  const random = generator(7);
  const totals = Array.from({ length: size }, (_, index) => index + 1);
  for (let index = size - 1; index > 0; index--) {
    const other = random(index + 1);
    [totals[index], totals[other]] = [totals[other], totals[index]];
  }
  return totals.map((total, index) => ({
    id: index,
    user: random(10) === 0 ? "user 0" : `user ${random(Math.max(5, Math.floor(size / 50)))}`,
    status: random(3) === 0 ? "paid" : "open",
    total,
    city: ["Aachen", "Bergen", "Cork"][random(3)],
  }));
}

/** Pseudo-random numbers below a bound, by a linear congruential generator. */
function generator(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
