// The programs by which engines are compared: each in Clojure and in JavaScript, and the data that both read.
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
  },
  loop: {
    title: "loop to 1,000,000",
    size: 0,
    clojure: "(loop [i 0 sum 0] (if (< i 1000000) (recur (inc i) (+ sum i)) sum))",
    javascript: "(() => { let i = 0, sum = 0; while (i < 1000000) { sum += i; i += 1; } return sum; })()",
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
