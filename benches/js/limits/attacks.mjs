// Programs that exceed their limit of time or memory, for Turnfold and, where JavaScript can do the same, for QuickJS.

/** The time limit of a slow program in milliseconds. */
export const DEADLINE = 100;
/** The memory limit of a large program in bytes. */
export const MEMORY = 64 << 20;

const forever = (form) => `(loop [] ${form} (recur))`;
const always = (statement) => `for (;;) { ${statement} }`;

/** Programs that the time limit stops: each would run for seconds or without end. */
export const slow = {
  "a loop": [forever("1"), always("")],
  recursion: [
    "(defn f [n] (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (f 60)",
    "const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); f(60)",
  ],
  "an expression that backtracks": [
    forever('(re-find #"^(a+)+$" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")'),
    '/^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")',
  ],
  "searching a large array": [
    `(def a (vec (range 500000))) ${forever("(.indexOf a -1)")}`,
    "const a = []; a.length = 2 ** 32 - 1; a.indexOf(1)",
  ],
  "powers of integers": [forever("(reduce * (repeat 9999 9))"), "3n ** 20000000n"],
  "sorting texts": [
    `(def a (map (fn [i] (str (mod (* i 7919) 1000003))) (range 200000))) ${forever("(sort a)")}`,
    `const a = Array.from({ length: 200000 }, (_, i) => String((i * 7919) % 1000003)); ${always("a.slice().sort()")}`,
  ],
  "comparing what is equal": [
    `(def a (vec (range 400000))) (def b (vec (range 400000))) ${forever("(= a b)")}`,
    `const a = Array.from({ length: 400000 }, (_, i) => i); ${always("JSON.stringify(a) === JSON.stringify(a)")}`,
  ],
  "comparing what shares its parts": [
    "(loop [a [1] b [1] n 0] (if (< n 60) (recur [a a] [b b] (inc n)) (loop [] (compare a b) (recur))))",
    "let a = [1]; for (let n = 0; n < 60; n++) a = [a, a]; JSON.stringify(a)",
  ],
  "copies of a large collection": [
    `(def a (vec (range 500000))) ${forever("(conj a 1)")}`,
    `const a = Array.from({ length: 500000 }, (_, i) => i); ${always("[...a, 1]")}`,
  ],
  "sets of many elements": [
    `(def a (range 500000)) ${forever("(set a)")}`,
    `const a = Array.from({ length: 500000 }, (_, i) => i); ${always("new Set(a)")}`,
  ],
  "matches of an expression": [
    `(def s (apply str (repeat 300000 "ab "))) ${forever('(re-seq #"[a-c]+" s)')}`,
    `const s = "ab ".repeat(300000); ${always("s.match(/[a-c]+/g)")}`,
  ],
  "replacing in a long text": [
    `(def s (apply str (repeat 300000 "ab "))) ${forever('(replace s #"[a]" "b")')}`,
    `const s = "ab ".repeat(300000); ${always('s.replace(/[a]/g, "b")')}`,
  ],
  "long texts as keys": [
    `(def s (apply str (repeat 300000 "ab "))) (def m {s 1}) ${forever("(get m (str s))")}`,
    `const s = "ab ".repeat(300000); const m = new Map([[s, 1]]); ${always("m.get(s.slice(1))")}`,
  ],
  "walking a large value": [
    `(def a (mapv (fn [i] {:a i}) (range 50000))) ${forever("(postwalk identity a)")}`,
    `const a = Array.from({ length: 50000 }, (_, a) => ({ a })); ${always("structuredCopy(a)")} function structuredCopy(v) { return JSON.parse(JSON.stringify(v)); }`,
  ],
  branches: [`${forever("(pmap inc (range 40000))")}`, null],
};

/** Programs that the memory limit stops. */
export const large = {
  vectors: [
    "(loop [v []] (recur (conj v (vec (range 1000)))))",
    "const v = []; for (;;) v.push(Array.from({ length: 1000 }, (_, i) => i))",
  ],
  texts: [
    '(loop [v [] i 0] (recur (conj v (str "0123456789abcdef0123456789abcdef" i)) (inc i)))',
    'const v = []; for (let i = 0; ; i++) v.push("0123456789abcdef0123456789abcdef" + i)',
  ],
  "values in values": [
    "(loop [a nil i 0] (recur [a (str i) {:a i}] (inc i)))",
    "let a = null; for (let i = 0; ; i++) a = [a, String(i), { a: i }]",
  ],
  "stacks of branches that wait": [
    `(defn deep [n] (let [a n b n c n d n] (if (zero? n) (do (tool/wait {}) 0) (+ a b c d (deep (dec n))))))
     (pmap (fn [_] (deep 9000)) (range 300))`,
    null,
  ],
  maps: [
    "(loop [v []] (recur (conj v (zipmap (range 1000) (range 1000)))))",
    "const v = []; for (;;) v.push(new Map(Array.from({ length: 1000 }, (_, i) => [i, i])))",
  ],
};
