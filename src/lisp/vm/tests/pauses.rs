//! Tests that the machine pauses, that work is counted before or while it is done, and that work within a call is
//! bounded.

use super::*;

/// Runs a program that begins with nothing to free; returns how often it pauses, and its outcome.
fn pauses(vm: &mut Vm, program: &str) -> (usize, Box<Outcome>) {
    garbage::free_leftovers(usize::MAX);
    let (mut progress, mut pauses) = (vm.start(program, 0), 0);
    while let Progress::Pause = progress {
        pauses += 1;
        progress = vm.resume();
    }
    match progress {
        Progress::Done(ended) => (pauses, ended),
        other => panic!("{program} waits: {other:?}"),
    }
}

#[test]
fn calls_that_take_long_pause() {
    let mut vm = machine();
    (vm.limits.heap_bytes, vm.limits.fuel) = (1 << 30, u64::MAX);
    let definitions = "
        (def v (vec (range 100000)))
        (def t (mapv str v))
        (def m (zipmap v v))
        (def n (zipmap t v))
        (def z (set v))
        (def s (apply str (repeat 60000 \"a\")))
        (def o (mapv (fn [i] {:k (- i)}) (range 40000)))
        (def p (mapv (fn [i] [i]) v))
        (def w (vec (range 100000)))
        (def l (mapv (fn [i] {:a i}) (range 20000)))
        (def j (json/write-str l))";
    assert!(pauses(&mut vm, definitions).1.result.is_ok());
    // Programs whose builtins hash, compare, sort or match, each with its least number of pauses.
    for (program, min) in [
        ("(set v)", 7),
        ("(distinct v)", 7),
        ("(frequencies v)", 7),
        ("(zipmap v v)", 7),
        ("(into {} (map (fn [i] [i i]) v))", 18),
        ("(into #{} v)", 6),
        ("(sort t)", 140),
        ("(sort-by :k o)", 50),
        ("(sort-by :k (fn [a b] (< a b)) (take 10000 o))", 2),
        ("(sum-by :k o)", 2),
        ("(group-by :k o)", 3),
        ("(re-seq #\"[ab]\" s)", 10),
        ("(replace s #\"[ab]\" \"c\")", 9),
        ("(replace s #\"[ab]\" (fn [x] x))", 11),
        ("(split s #\"[a]\")", 9),
        ("(pmap inc (range 40000))", 23),
        ("(.indexOf v -1)", 8),
        ("(.lastIndexOf v -1)", 8),
        ("(contains? v -1)", 8),
        ("(cons 1 m)", 1),
        ("(apply hash-set v)", 7),
        ("(apply hash-map v)", 4),
        ("(apply conj #{} v)", 8),
        ("(apply dissoc m v)", 16),
        ("(apply disj z v)", 16),
        ("(apply distinct? v)", 7),
        ("(dedupe v)", 7),
        ("(conj {} m)", 9),
        ("(merge {} m)", 9),
        ("(merge m n)", 9),
        ("(merge-with + m m)", 4),
        ("(select-keys m v)", 25),
        ("(rename-keys m {1 2})", 8),
        ("(invert m)", 7),
        ("(update-keys m str)", 16),
        ("(select odd? z)", 17),
        ("(difference z #{1})", 16),
        ("(intersection z z)", 16),
        ("(union #{} z)", 7),
        ("(subset? z z)", 7),
        ("(postwalk identity n)", 12),
        ("(replace {1 2} z)", 9),
        ("(= v w)", 5),
        ("(not= v w)", 5),
        ("(if (= v w) 1 2)", 5),
        ("(.equals v w)", 5),
        ("(= m (into {} m))", 11),
        ("(= z (into #{} z))", 11),
        ("(do (def many (mapv (fn [i] [[i]]) v)) 1)", 20),
        ("(apply < v)", 3),
        ("(apply bit-xor v)", 3),
        ("(apply max-key identity v)", 4),
        ("(replace s #\"a\" \"b\")", 5),
        ("(re-seq #\"a\" s)", 6),
        ("((where :a in v) {:a -1})", 9),
        ("((where :a includes :b) {:a t})", 9),
        ("(.indexOf (vec (repeat 100 (vec (range 9000)))) (conj (vec (range 8999)) -1))", 45),
        ("(sort (mapv (fn [_] (vec (range 9000))) (range 40)))", 20),
    ] {
        let (pauses, ended) = pauses(&mut vm, &format!("(boolean {program})"));
        assert!(ended.result.is_ok(), "{program}: {:?}", ended.result);
        assert!(pauses >= min, "{program}: {pauses} pauses");
    }
}

#[test]
fn the_fuel_of_a_call_is_refused_before_it_begins() {
    let definitions = "
        (def v (vec (range 100000)))
        (def m (zipmap v v))
        (def s (apply str (repeat 100000 \"a\")))";
    for program in [
        "(range 100000)",
        "(repeat 100000 1)",
        "(reverse v)",
        "(concat v v)",
        "(into [1] v)",
        "(interpose 0 v)",
        "(zip v v)",
        "(partition 2 v)",
        "(combinations (range 100) 3)",
        "(vals m)",
        "(seq m)",
        "(seq s)",
        "(split s \"\")",
        "(set v)",
        "(zipmap v v)",
        "(sort v)",
        "(pmap inc v)",
        "(apply + v)",
    ] {
        let mut vm = machine();
        assert!(pauses(&mut vm, definitions).1.result.is_ok());
        vm.limits.fuel = 50_000;
        let ended = pauses(&mut vm, program).1;
        assert!(shown(&ended).starts_with("fuel_exceeded: "), "{program}: {:.200}", shown(&ended));
        assert!(ended.fuel < 600_000, "{program}: {}", ended.fuel);
    }
}

#[test]
fn what_takes_more_memory_than_is_left_is_refused_while_it_is_made() {
    let definitions = "
        (def v (vec (range 100000)))
        (def m (zipmap v v))
        (def s (apply str (repeat 200000 \"a\")))
        (def n {:a m})";
    for program in [
        "(zip v v)",
        "(partition 1 v)",
        "(partition-all 50 1 v)",
        "(combinations (range 100) 3)",
        "(seq m)",
        "(map identity m)",
        "(for [e m] e)",
        "(seq s)",
        "(rest s)",
        "(split s \"\")",
        "(re-seq #\"a\" s)",
        "(loop [x v] (recur (concat x x)))",
        "(loop [x v] (recur (into x x)))",
        "(map (fn [i] (conj v i)) v)",
        "(map (fn [i] (assoc v 0 i)) v)",
        "(map (fn [i] (assoc m i 0)) v)",
        "(map (fn [i] (assoc-in n [:a i] 0)) v)",
        "(map (fn [i] (update-in n [:a i] inc)) v)",
        "(map (fn [i] (dissoc m i)) v)",
        "(map (fn [i] (merge m {i 0})) v)",
        "(map (fn [i] (union (set v) #{i})) v)",
        "(map (fn [i] (reverse v)) v)",
        "(map (fn [i] (range 100000)) v)",
        "(map (fn [i] (repeat 100000 i)) v)",
        "(map (fn [i] (vals m)) v)",
        "(map (fn [i] (set v)) v)",
        "(json/parse-string (str \"[\" (join \",\" (repeat 60000 \"[[]]\")) \"]\"))",
    ] {
        let mut vm = machine();
        assert!(pauses(&mut vm, definitions).1.result.is_ok());
        // Counts the definitions.
        vm.held.bytes = vm.max_bytes();
        assert!(pauses(&mut vm, "1").1.result.is_ok());
        (vm.limits.heap_bytes, vm.limits.fuel, vm.limits.loop_iterations) =
            (vm.held.bytes as u64 + (8 << 20), u64::MAX, u64::MAX);
        let ended = pauses(&mut vm, program).1;
        assert!(shown(&ended).starts_with("memory_exceeded: "), "{program}: {:.200}", shown(&ended));
    }
}

#[test]
fn work_on_one_value_is_counted() {
    let mut vm = machine();
    (vm.limits.heap_bytes, vm.limits.fuel) = (1 << 30, u64::MAX);
    let definitions = "
        (def v (vec (range 100000)))
        (def z (set v))
        (def s (apply str (repeat 100000 \"ab\")))
        (def k (vec (range 9000)))
        (def long (vec (repeat 9000 0)))";
    assert!(pauses(&mut vm, definitions).1.result.is_ok());
    for (program, min) in [
        ("((where :a in v) {:a -1})", 20_000),
        ("((where :a in z) {:a -1})", 20_000),
        ("((where :a includes \"c\") {:a s})", 10_000),
        ("(get s 199999)", 10_000),
        ("(keyword s)", 20_000),
        ("(index-of \"a\" s)", 50_000),
        ("(split \"a\" s)", 50_000),
        ("(.equalsIgnoreCase \"a\" s)", 10_000),
        ("(get-in [] long)", 2000),
        ("(.indexOf [k] (conj (vec (range 8999)) -1))", 9000),
    ] {
        let (_, ended) = pauses(&mut vm, &format!("(boolean {program})"));
        assert!(ended.result.is_ok(), "{program}: {:?}", ended.result);
        assert!(ended.fuel >= min, "{program}: {}", ended.fuel);
    }
}

#[test]
fn what_is_compared_within_a_step_is_bounded() {
    let definitions = "
        (def v (vec (range 20000)))
        (def w (vec (range 20000)))
        (def m (zipmap v w))
        (def n (zipmap w v))
        (def nested {(set (map vector v)) 1})
        (def s (apply str (repeat 600000 \"a\")))";
    let too_large =
        "collection_size_exceeded: a key, or a value that is looked for or put in order, holds more than 10000 values";
    for program in [
        "(get {v 1} w)",
        "(count #{v w})",
        "(distinct [v w])",
        "(contains? #{[m]} [n])",
        "(assoc (zipmap (range 20) v) m 1)",
        "(.indexOf [v] w)",
        "(some #{v} [w])",
        "(frequencies [v w])",
        "(do (conj (set (range 20)) v) 1)",
        "(group-by identity [v w])",
        "(sort [v w])",
        "(compare v w)",
        "(= nested {(set (map vector w)) 1})",
        "(pmap (fn [_] (get {v 1} w)) [1])",
        "(do (tool/echo (get {v 1} w)) 1)",
    ] {
        let mut vm = machine();
        (vm.limits.heap_bytes, vm.limits.fuel) = (1 << 30, u64::MAX);
        assert!(pauses(&mut vm, definitions).1.result.is_ok());
        let shown_error = shown(&pauses(&mut vm, program).1);
        assert!(shown_error.starts_with(too_large), "{program}: {shown_error:.200}");
        // The next program is not refused.
        assert_eq!(shown(&pauses(&mut vm, "(get {:a 2} :a)").1), "2", "{program}");
    }
    for (program, expected) in [
        ("(= v w)", "true"),
        ("(= m n)", "true"),
        ("(count (set (map vector v)))", "20000"),
        ("(get {} (vec (range 5000)) 1)", "1"),
        ("(get-in {} v)", "collection_size_exceeded: a path of 20000 keys is longer than 10000"),
        ("(assoc-in {} v 1)", "collection_size_exceeded: a path of 20000 keys is longer than 10000"),
        ("(update-in {} v inc)", "collection_size_exceeded: a path of 20000 keys is longer than 10000"),
        ("(includes? s s)", "collection_size_exceeded: `includes?` searches for at most 500000 bytes, got 600000"),
        ("(index-of s s)", "collection_size_exceeded: `index-of` searches for at most 500000 bytes, got 600000"),
        ("(starts-with? s s)", "true"),
    ] {
        let mut vm = machine();
        (vm.limits.heap_bytes, vm.limits.fuel) = (1 << 30, u64::MAX);
        assert!(pauses(&mut vm, definitions).1.result.is_ok());
        let found = shown(&pauses(&mut vm, program).1);
        assert!(found == expected || found.starts_with(&format!("{expected} (")), "{program}: {found}");
    }
}

#[test]
fn digits_of_large_integers_are_made_in_pieces() {
    let definitions = "
        (def i (reduce * (repeat 9000 10)))
        (def many (mapv (fn [n] (+ i n)) (range 20)))
        (def n (dec i))
        (def v (vec (range 5000)))";
    for (program, min) in [
        ("(map str (mapv inc many))", 18),
        ("(str (mapv inc many))", 18),
        ("(println (mapv inc many))", 18),
        ("(join (mapv inc many))", 18),
        ("(apply str (mapv inc many))", 18),
        ("(json/write-str (mapv inc many))", 18),
        ("(json/parse-string (json/write-str (mapv inc many)))", 18),
        ("(str (set (mapv inc many)))", 18),
        ("(return {:a (mapv inc many)})", 18),
        ("(fail (mapv inc many))", 18),
        ("(def other (mapv inc many))", 19),
    ] {
        let mut vm = machine();
        (vm.limits.heap_bytes, vm.limits.fuel) = (1 << 30, 100_000_000);
        assert!(pauses(&mut vm, definitions).1.result.is_ok());
        let (pauses, ended) = pauses(&mut vm, program);
        assert!(ended.result.is_ok(), "{program}: {:?}", ended.result);
        assert!(pauses >= min, "{program}: {pauses} pauses");
    }
    let mut vm = machine();
    assert!(pauses(&mut vm, definitions).1.result.is_ok());
    // A tool call waits until the digits are computed, and takes its answer.
    let mut progress = vm.start("(count (first (tool/echo (mapv dec many))))", 0);
    let mut pauses_before_the_call = 0;
    while let Progress::Pause = progress {
        pauses_before_the_call += 1;
        progress = vm.resume();
    }
    assert!(pauses_before_the_call >= 20 && matches!(progress, Progress::Calls(_)));
    assert_eq!(shown(&finish(&mut vm, progress)), "20");
    let calls = "(pmap (fn [x] (count (first (tool/echo [x x])))) many)";
    let progress = vm.start(calls, 0);
    assert_eq!(shown(&finish(&mut vm, progress)), text(&Value::vector((0..20).map(|_| Value::Int(2)))));
    // The pieces count as steps of the program, which fails and defines nothing when its steps are used up.
    vm.limits.fuel = 200_000;
    let ended = pauses(&mut vm, "(def n 5) (mapv inc many)").1;
    assert!(shown(&ended).starts_with("fuel_exceeded: "), "{:.200}", shown(&ended));
    vm.limits.fuel = 1_000_000;
    assert_eq!(shown(&pauses(&mut vm, "(- n i)").1), "-1");
    // A message does not show large integers if there are many.
    let ended = pauses(&mut vm, "(+ 1 [many many])").1;
    assert!(shown(&ended).contains("got the vector `...`"), "{:.200}", shown(&ended));
}

#[test]
fn definitions_are_counted_in_pieces_before_a_program_begins() {
    let mut vm = machine();
    vm.limits.heap_bytes = 1 << 30;
    let values = Value::vector((0..300_000).map(|number| Value::str(number.to_string())));
    vm.define(&"t".into(), values.clone());
    vm.define(&"u".into(), values);
    let (mut progress, mut pauses) = (vm.start("(count t)", 0), 0);
    while vm.next.is_some() {
        assert!(vm.is_running() && matches!(progress, Progress::Pause));
        pauses += 1;
        progress = vm.resume();
    }
    assert!(pauses >= 12, "{pauses}");
    // A text takes 16 bytes, its digits and an element of the vector; the shared vector is counted once.
    assert!((300_000 * 36..300_000 * 50).contains(&vm.held.counted), "{}", vm.held.counted);
    assert_eq!(shown(&finish(&mut vm, progress)), "300000");
    // A program that is stopped before it begins leaves the definitions as they are.
    vm.define(&"x".into(), Value::Int(1));
    assert!(matches!(vm.start("(def x 2)", 0), Progress::Pause));
    let stopped = vm.stop(Diagnostic::new("timeout", "it took too long"));
    assert!(!vm.is_running());
    assert!(shown(&finish(&mut vm, stopped)).starts_with("timeout: "));
    assert_eq!(shown(&self::pauses(&mut vm, "x").1), "1");
}

#[test]
fn branches_within_branches_pause_and_are_freed_in_pieces() {
    let mut vm = machine();
    vm.limits.depth = 1_000_000;
    for program in ["(defn f [] (pcalls f f)) (f)", "(defn g [n] (def x n) (pmap g [n n])) (g 1)"] {
        let mut vm = machine();
        (vm.limits.depth, vm.limits.fuel) = (1_000_000, 3_000_000);
        let (count, ended) = pauses(&mut vm, program);
        let kind = ended.result.as_ref().unwrap_err().kind;
        assert!(matches!(kind, "memory_exceeded" | "fuel_exceeded"), "{program}: {kind}");
        // Looking `f` up takes the same time in every branch.
        assert!(count as u64 >= ended.fuel / 30_000 && ended.fuel > 100_000, "{program}: {count}, {}", ended.fuel);
        assert!(!garbage::free_leftovers(1000), "{program}");
        assert_eq!(shown(&self::pauses(&mut vm, "(+ 1 2)").1), "3");
        assert!(vm.left() > vm.max_bytes() / 10 * 9, "{program}: {} of {}", vm.left(), vm.max_bytes());
    }
    let nested =
        "(def a 1) (pmap (fn [x] (def a x) (pmap (fn [y] (def b y) (pmap (fn [z] [a b z]) [y])) [2 3])) [4 5])";
    let nested = self::pauses(&mut vm, nested).1;
    assert_eq!(shown(&nested), "[[[[4 2 2]] [[4 3 3]]] [[[5 2 2]] [[5 3 3]]]]");
}

#[test]
fn what_pauses_gives_what_it_gives_at_once() {
    // Each pair is the same work on many and on few elements.
    for (many, few) in [
        ("(count (flatten [(range 30000) [[1]]]))", "30001"),
        ("(take-last 3 (concat (range 25000) [:a] [] (range 3)))", "[0 1 2]"),
        ("(nth (concat (range 25000) [:a] [] (range 25000)) 25000)", ":a"),
        ("(take-last 2 (range 0 12000.5 0.5))", "[11999.5 12000.0]"),
        ("(count (range 20000 0 -1))", "20000"),
        ("(reduce-kv (fn [n k v] (+ n k v)) 0 (zipmap (range 20000) (repeat 20000 1)))", "200010000"),
        ("(reduce-kv (fn [n k v] (+ n k v)) 0 (vec (range 3)))", "6"),
        ("(get (merge-with + {7 1} (zipmap (range 20000) (range 20000)) nil {7 3 9 9}) 7)", "11"),
        ("(get (merge nil {1 2} (zipmap (range 20000) (range 20000)) {7 3}) 7)", "3"),
        ("(count (merge {:a 1} (zipmap (range 20000) (range 20000)) nil [:b 2]))", "20002"),
        ("(count (conj {:a 1} (zipmap (range 20000) (range 20000)) [:b 2]))", "20002"),
        ("(count (union #{:a} #{} (set (range 20000)) #{:b}))", "20002"),
        ("(count (difference (set (range 20000)) (set (range 10)) #{77}))", "19989"),
        ("(count (intersection (set (range 20000)) (set (range 10))))", "10"),
        ("(superset? (set (range 20000)) (set (range 30000)))", "false"),
        ("(count (apply dissoc (zipmap (range 20000) (range)) (range 15000)))", "5000"),
        ("(count (apply dissoc (zipmap (range 20000) (range 20000)) (range 15000)))", "5000"),
        ("(count (apply disj (set (range 20000)) (range 15000)))", "5000"),
        ("(apply distinct? 3 (range 20000))", "false"),
        ("(count (dedupe (map #(quot % 2) (range 30000))))", "15000"),
        ("(let [v (vec (range 60000)) w (conj v :a)] [(count v) (count w) (peek w)])", "[60000 60001 :a]"),
        ("(let [v (vec (range 60000)) w (assoc v 7 :a 60000 :b)] [(v 7) (w 7) (peek w)])", "[7 :a :b]"),
        (
            "(let [m (zipmap (range 60000) (range 60000)) n (dissoc m 3 5 -1) o (assoc n :a 1 7 2)] \
             [(count m) (count n) (count o) (m 3) (n 3) (o 7) (n 7) (o :a) (last o)])",
            "[60000 59998 59999 3 nil 2 7 1 [:a 1]]",
        ),
        (
            "(let [s (set (range 60000)) t (disj s 3) u (conj t :a :b 5)] [(count s) (count t) (count u) (t 3) (u :b)])",
            "[60000 59999 60001 nil :b]",
        ),
        (
            "(let [m {:a [(zipmap (range 60000) (range 60000))]} n (update-in m [:a 0 5] str) o (assoc-in m [:a 0 :b] 1)] \
             [(get-in m [:a 0 5]) (get-in n [:a 0 5]) (get-in o [:a 0 :b]) (get-in m [:a 0 :b])])",
            "[5 \"5\" 1 nil]",
        ),
        (
            "(let [m (zipmap (range 60000) (range 60000))] [(count (merge m {:a 1})) (count (into m {:b 1})) (count m)])",
            "[60001 60001 60000]",
        ),
        (
            "(let [v (vec (range 60000))] [(first (reverse v)) (peek (pop v)) (take 2 (drop 40000 v)) (last (take 50000 v))])",
            "[59999 59998 [40000 40001] 49999]",
        ),
        (
            "(let [m (zipmap (range 60000) (range 60000))] [(last (keys m)) (last (vals (update-vals m inc)))])",
            "[59999 60000]",
        ),
        (
            "[(apply + (range 30000)) (apply - 5 (range 30000)) (apply max (range 30000)) (apply min 3 (range 1 30000))]",
            "[449985000 -449984995 29999 1]",
        ),
        (
            "[(count (apply str (repeat 30000 \"ab\"))) (count (apply concat [1] (repeat 20000 [1 2])))]",
            "[60000 40001]",
        ),
        (
            "[(count (apply merge nil (map (fn [i] {i i}) (range 15000)))) (count (apply union (repeat 12000 #{1})))]",
            "[15000 1]",
        ),
        ("(apply (fn [a & more] [a (count more)]) 1 (range 30000))", "[1 30000]"),
        ("(get (rename-keys (zipmap (range 20000) (range 20000)) {3 :x 4 5}) :x)", "3"),
        ("(get (rename-keys (zipmap (range 20000) (range 20000)) {3 :x 4 5}) 5)", "4"),
        ("(count (select-keys (zipmap (range 20000) (range 20000)) (range 100 40000)))", "19900"),
        ("(get (invert (zipmap (range 20000) (map str (range 20000)))) \"77\")", "77"),
        ("(get (update-keys (zipmap (range 20000) (range 20000)) str) \"77\")", "77"),
        ("(count (prewalk identity (zipmap (range 20000) (range 20000))))", "20000"),
        ("(get (postwalk #(if (= % 5) :five %) (zipmap (range 20000) (range 20000))) :five)", ":five"),
        ("(count (mapcat identity [[1] (zipmap (range 20000) (range 20000)) \"ab\"]))", "20003"),
        ("(subs (str/reverse (apply str (concat (repeat 20000 \"a\") [\"b\" \"c\"]))) 0 3)", "\"cba\""),
        ("(count (split-lines (apply str (repeat 20000 \"ab\\r\\n\"))))", "20000"),
        ("(count (split-lines (str (apply str (repeat 20000 \"\\n\")) \"x\")))", "20001"),
        ("(count (split-lines (apply str (repeat 20000 \"\\n\"))))", "0"),
        ("(let [[a & more] (apply str (repeat 20000 \"a\"))] (count more))", "19999"),
        ("(count (str (vec (range 30000))))", "168891"),
        (
            "(= (pr-str (zipmap (range 9000) (range 9000))) (str (into {} (map vec (zip (reverse (range 9000)) (reverse (range 9000)))))))",
            "true",
        ),
        ("(subs (str (zipmap (map vector (range 9000)) (range 9000))) 0 20)", "\"{[0] 0 [1000] 1000 [\""),
        ("(subs (str (zipmap (map vector (range 90)) (range 90))) 0 20)", "\"{[0] 0 [10] 10 [11] \""),
        ("(= (range 30000) (concat (range 29999) [29999.0]))", "true"),
        ("(= (range 30000) (concat (range 29999) [0]))", "false"),
        (
            "(let [a (vec (range 30000)) b (vec (range 30000))] [(= a b) (not= a b) (= a b a (conj (pop b) 1))])",
            "[true false false]",
        ),
        (
            "(let [a (vec (range 30000)) b (vec (range 30000))] (loop [i 0 c (= a b)] (if (and (= a b) (< i 3)) (recur (inc i) (= b a)) [i c])))",
            "[3 true]",
        ),
        (
            "(defn f [a] (if (= a (vec (range 30000))) (let [x 1 y 2] [x y (= a (pop a))]) :no)) (f (vec (range 30000)))",
            "[1 2 false]",
        ),
        ("(pmap (fn [x] (= (range 30000) (conj (vec (range 29999)) x))) [29999 1])", "[true false]"),
        ("(count (json/parse-string (json/write-str (map (fn [i] {:a i}) (range 9000)))))", "9000"),
        ("(json/parse-string (str \"[\" (join \",\" (range 30000)) \",]\"))", "nil"),
        ("(map count (partition 2 3 [7] (range 30001)))", ""),
        ("(count (doall (for [c (apply str (repeat 20000 \"a\")) :when (= c \"a\")] c)))", "20000"),
        ("[(.indexOf (range 30000) 29999) (.lastIndexOf (range 30000) 5) (.indexOf (range 30000) -1)]", "[29999 5 -1]"),
        (
            "[(.lastIndexOf [1 2 1] 1) (.indexOf [1 2 1] 1) (.indexOf [] 1) (contains? [1] 1) (contains? [] nil)]",
            "[2 0 -1 true false]",
        ),
        ("[(contains? (vec (range 30000)) 29999) (.contains (vec (range 30000)) -1)]", "[true false]"),
        ("(apply + (zipmap [1] [2]))", "error"),
    ] {
        let mut vm = machine();
        vm.limits.loop_iterations = 1_000_000;
        let progress = vm.start(many, 0);
        let shown = shown(&finish(&mut vm, progress));
        match few {
            "" => assert!(shown.starts_with('['), "{many}: {shown}"),
            "error" => assert!(shown.contains("_error: "), "{many}: {shown}"),
            few => assert_eq!(shown, few, "{many}"),
        }
    }
}

#[test]
fn what_a_program_held_is_freed_in_pieces() {
    let mut vm = machine();
    // Each round leaves 20,000 texts.
    let (rounds, ended) = pauses(&mut vm, "(dotimes [_ 40] (mapv str (range 20000)))");
    assert!(ended.result.is_ok() && rounds > 20, "{rounds}");
    vm.limits.heap_bytes = 1 << 30;
    let (_, ended) = pauses(&mut vm, "(count (map #(vector (str %) {:a %}) (range 200000)))");
    assert_eq!(shown(&ended), "200000");
    let mut pieces = 0;
    while !garbage::free_leftovers(FREED) {
        pieces += 1;
    }
    assert!(pieces >= 9, "{pieces}");
    // Remaining values are freed before the next program begins, and do not count as its memory.
    let (_, ended) = pauses(&mut vm, "(fail (count (map #(vector (str %) {:a %}) (range 200000))))");
    assert!(ended.result.is_ok());
    let Progress::Pause = vm.start("1", 0) else { panic!("it begins before all is freed") };
    let progress = vm.resume();
    assert_eq!(shown(&finish(&mut vm, progress)), "1");
}
