use super::*;
use crate::lisp::tool::ToolReply;
use crate::value::{PrintOptions, to_clojure};
use std::rc::Rc;

mod pauses;

fn machine() -> Vm {
    let tools = ["echo", "boom"].map(|name| (Str::from(name), Rc::new(ToolSpec::default())));
    let data = [("xs", Value::vector([1.into(), 2.into(), 3.into()]))].map(|(name, value)| (Str::from(name), value));
    Vm::new(data.into_iter().collect(), tools.into_iter().collect(), ProgramLimits::default())
}

/// Runs a program to its end; `echo` returns its arguments as a vector, `boom` fails.
fn finish(vm: &mut Vm, mut progress: Progress) -> Box<Outcome> {
    loop {
        progress = match progress {
            Progress::Done(ended) => return ended,
            Progress::Pause => vm.resume(),
            Progress::Calls(calls) => {
                assert!(!calls.is_empty(), "nothing can go on");
                vm.answer(calls.into_iter().map(answer).collect())
            }
        }
    }
}

fn answer(ToolRequest { id, tool, args }: ToolRequest) -> ToolReply {
    let args = match args {
        Value::Map(named) if named.is_empty() => Value::vector([]),
        Value::Map(_) => Value::vector([args]),
        positional => positional,
    };
    ToolReply::new(id, if &*tool == "echo" { Ok(args) } else { Err("kaboom".into()) })
}

fn text(value: &Value) -> String {
    to_clojure(value, &PrintOptions { filter_hidden: false, ..Default::default() }).text
}

fn shown(ended: &Outcome) -> String {
    match &ended.result {
        Ok(value) => text(value),
        Err(problem) => format!("{}: {problem}", problem.kind),
    }
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let mut vm = machine();
    let progress = vm.start(source, 0);
    assert_eq!(shown(&finish(&mut vm, progress)), expected, "{source}");
}

#[test]
fn forms() {
    check("(+ 1 2)", "3");
    check("", "nil");
    check("(let [a 1 b (+ a 1)] [a b {:c (* b 3)}])", "[1 2 {:c 6}]");
    check("(if (< 1 2) :yes :no)", ":yes");
    check("(loop [i 0 acc []] (if (< i 5) (recur (inc i) (conj acc (* i i))) acc))", "[0 1 4 9 16]");
    check("(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 15)", "610");
    check("(map (fn [x] (* x x)) data/xs)", "[1 4 9]");
    check("(reduce + (map inc (filter #(> % 1) data/xs)))", "7");
    check("(let [[a b & c] [1 2 3 4] {:keys [x y] :or {y 9} :as m} {:x 5}] [a b c x y m])", "[1 2 [3 4] 5 9 {:x 5}]");
    check("(-> {:a {:b 5}} :a :b inc)", "6");
    check("(->> xs (map inc) (reduce +))", "9");
    check("(for [x [1 2 3] y [10 20] :when (not= x 2) :let [z (+ x y)]] z)", "[11 21 13 23]");
    check("(cond false 1 nil 2 :else 3)", "3");
    check("(case 3 1 :one (2 3) :few :many)", ":few");
    check("(condp = 2 1 :one 2 :two)", ":two");
    check("(let [f (fn f [n] (if (= n 0) :done (f (dec n))))] (f 100))", ":done");
    check("((fn ([a] [:one a]) ([a b] [:two a b]) ([a b & c] [:more c])) 1 2 3 4)", "[:more [3 4]]");
    check("((comp inc #(* % 2)) 5)", "11");
    check("((partial + 1 2) 3)", "6");
    check("((juxt :a :b) {:a 1 :b 2})", "[1 2]");
    check("(let [x 5 f (fn [y] (fn [z] (+ x y z)))] ((f 1) 2))", "8");
    check("(some-> {:a nil} :a inc)", "nil");
    check("(cond-> 1 true inc false (* 100) true (* 2))", "4");
    check("(as-> 5 x (+ x 1) (* x 2))", "12");
    check("(and 1 nil 2)", "nil");
    check("(or nil 3)", "3");
    check("(when-let [x (:a {:a 4})] (inc x))", "5");
    check("(if-let [x nil] x :none)", ":none");
    check("(do (def a 1) (defonce a 2) a)", "1");
    check("(return {:done true})", "{:done true}");
    check("(map #(if (= % 2) (fail :two) %) [1 2 3])", ":two");
    check("(let [m {:a 1}] (m :a))", "1");
    check("(apply + 1 [2 3])", "6");
    check("(dotimes [i 3] (println i))", "nil");
    check("(defn g [& {:keys [a b]}] [a b]) (g :a 1 :b 2)", "[1 2]");
}

#[test]
fn errors() {
    check("(foo 1)", "unbound_var: `foo` is not defined (define it with `(def foo …)`, or bind it with `let`)");
    check("(redcue + [1])", "unbound_var: `redcue` is not defined (did you mean `reduce`?)");
    check(
        "(+ 1 nil)",
        "type_error: `+` takes numbers, got nil (a key may be missing: give a default, `(:key m 0)` or `(or x 0)`)",
    );
    check("(inc)", "arity_error: `inc` takes 1 argument, got 0 (write `(inc x)`)");
    check(
        "(loop [] (recur))",
        "loop_limit_exceeded: a loop went around more than 10000 times (check that it ends; go over collections with `map`, `reduce` or `doseq` instead)",
    );
    check(
        "(defn f [n] (+ 1 (f n))) (f 1)",
        "depth_exceeded: calls are nested deeper than 10000 (check that the recursion ends; go over collections with `map` or `reduce`, or use `loop` and `recur`)",
    );
}

#[test]
fn tools_wait_and_batches_are_one() {
    check("(tool/echo {:a 1})", "[{:a 1}]");
    check("(map tool/echo [1 2])", "[[1] [2]]");
    check("(echo 5)", "[5]");
    check(
        "(sort-by tool/echo > [[1] [2]])",
        "type_error: `>` compares numbers, got the vector `[[2]]` and the vector `[[1]]` (`(compare a b)` orders other values)",
    );
    check("(sort-by tool/echo (fn [a b] (tool/echo 1) (> (ffirst a) (ffirst b))) [[1] [3] [2]])", "[[3] [2] [1]]");
    check("(update {:a {:b 1}} :a update :b tool/echo)", "{:a {:b [1]}}");
    check("(reduce (fn [acc x] (tool/echo x) (if (= x 2) (reduced acc) (+ acc x))) 0 [1 2 3])", "1");
    check("(postwalk tool/echo [1])", "[[[1]]]");
    check("(merge-with tool/echo {:a 1} {:a 2})", "{:a [1 2]}");
    check("(tree-seq :kids (fn [x] (first (tool/echo (:kids x)))) {:kids [{:n 1}]})", "[{:kids [{:n 1}]} {:n 1}]");
    let mut vm = machine();
    let progress =
        vm.start("(pmap (fn [x] (println x) (let [r (tool/echo x)] (pmap #(tool/echo x %) [1 2]))) [7 8 9])", 0);
    let Progress::Calls(calls) = progress else { panic!("{progress:?}") };
    assert_eq!(calls.len(), 3);
    let progress = vm.answer(calls.into_iter().rev().map(answer).collect());
    let Progress::Calls(calls) = progress else { panic!("{progress:?}") };
    assert_eq!(calls.len(), 6);
    let progress = vm.answer(calls.into_iter().rev().map(answer).collect());
    let ended = finish(&mut vm, progress);
    assert_eq!(shown(&ended), "[[[7 1] [7 2]] [[8 1] [8 2]] [[9 1] [9 2]]]");
    assert_eq!(ended.prints.iter().map(|line| &**line).collect::<Vec<_>>(), ["7", "8", "9"]);
    assert_eq!(
        ended.calls.iter().map(|call| text(&call.args)).collect::<Vec<_>>().join(" "),
        "[7] [7 1] [7 2] [8] [8 1] [8 2] [9] [9 1] [9 2]"
    );
}

#[test]
fn a_failed_program_changes_nothing() {
    let mut vm = machine();
    let progress = vm.start("(def a 1) (defn f [x] (* x 2))", 0);
    finish(&mut vm, progress);
    let progress = vm.start("(def a 2) (println \"hi\") (tool/echo a) (tool/boom)", 0);
    let ended = finish(&mut vm, progress);
    let hint = "(to go on without it, catch it: `(try (tool/boom) (catch Exception e (ex-message e)))`)";
    assert_eq!(shown(&ended), format!("tool_error: `boom` failed: kaboom {hint}"));
    assert_eq!(ended.prints.len(), 1);
    assert_eq!(ended.calls.len(), 2);
    let progress = vm.start("[a (f 4) *1]", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "[1 8 #'f]");
    let f = vm.definitions().find(|(name, _)| &***name == "f").unwrap().1;
    assert!(matches!(f, Value::Closure(closure) if closure.return_type.as_deref() == Some("integer")));
}

#[test]
fn deep_programs_and_data_do_not_overflow() {
    let steps = "inc ".repeat(8000);
    check(&format!("(-> 0 {steps})"), "8000");
    let mut vm = machine();
    vm.limits.loop_iterations = 1_000_000;
    let progress = vm.start("(loop [i 0 f identity] (if (< i 300000) (recur (inc i) (fn [x] (f x))) :made))", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), ":made");
}

#[test]
fn building_is_linear() {
    let mut vm = machine();
    vm.limits.loop_iterations = 10_000_000;
    let progress = vm.start("(count (loop [i 0 acc []] (if (< i 300000) (recur (inc i) (conj acc i)) acc)))", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "300000");
    let progress = vm.start("(count (reduce conj [] (range 300000)))", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "300000");
    let progress = vm.start("(count (reduce (fn [acc x] (conj acc x)) [] (range 300000)))", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "300000");
    for source in [
        "(reduce (fn [m x] (assoc m x x)) {} (range 30000))",
        "(reduce (fn [m x] (update m x (fnil inc 0))) {} (range 30000))",
        "(:xs (reduce (fn [m x] (update m :xs (fnil conj []) x)) {} (range 30000)))",
        "(:xs (reduce (fn [m x] (update m :xs conj x)) {:xs []} (range 30000)))",
        "(get-in (reduce (fn [m x] (update-in m [:a :xs] conj x)) {:a {:xs []}} (range 30000)) [:a :xs])",
        "(:a (reduce (fn [m x] (assoc-in m [:a x] x)) {} (range 30000)))",
        "(reduce (fn [s x] (conj s x)) #{} (range 30000))",
        "(reduce into [] (map vector (range 30000)))",
        "(reduce (fn [m x] (merge m {x x})) {} (range 30000))",
        "(reduce (fn [acc x] (into acc [x])) #{} (range 30000))",
        "(reduce (fn [v x] (assoc v x :y)) (vec (range 30000)) (range 30000))",
        "(:a (reduce (partial merge-with into) {:a []} (map (fn [x] {:a [x]}) (range 30000))))",
        "(reduce (fn [v _] (pop v)) (vec (range 60000)) (range 30000))",
        "(loop [n 0 xs (range 100)] (if (< n 30000) (recur (inc n) (conj (rest xs) n)) (range n)))",
        "(get (group-by identity (repeat 30000 1)) 1)",
    ] {
        let progress = vm.start(&format!("(count {source})"), 0);
        assert_eq!(shown(&finish(&mut vm, progress)), "30000", "{source}");
    }
}

#[test]
fn the_error_of_branches_names_all_that_failed_with_their_elements() {
    let message = |source: &str| {
        let mut vm = machine();
        let progress = vm.start(source, 0);
        finish(&mut vm, progress).result.expect_err("a branch fails").message.clone()
    };
    for (source, expected) in [
        (
            "(pmap (fn [n] (if (odd? n) (tool/boom n) n)) [1 2 3])",
            "`pmap` failed for 2 of 3 elements: 1: `boom` failed: kaboom; 3: `boom` failed: kaboom",
        ),
        (
            "(pmap (fn [a b] (+ (:n a) b)) [{:n 1} {:n nil}] [5 6])",
            "`pmap` failed for 1 of 2 elements: {:n nil} 6: `+` takes numbers, got nil",
        ),
        ("(pcalls (fn [] 1) tool/boom)", "`pcalls` failed for 1 of 2 functions: function 2: `boom` failed: kaboom"),
        (
            "(pmap (fn [n] (pmap tool/boom [n])) [1 2])",
            "`pmap` failed for 2 of 2 elements: 1: `pmap` failed for 1 of 1 elements: 1: `boom` failed: kaboom; \
             2: `pmap` failed for 1 of 1 elements: 2: `boom` failed: kaboom",
        ),
        // A limit is the error of the program, whatever else failed before it.
        (
            "(try (pmap (fn [n] (if (= n 1) (tool/boom n) (loop [] (recur)))) [1 2]) (catch Exception e 1))",
            "`pmap` failed for 2 of 2 elements: 1: `boom` failed: kaboom; 2: a loop went around more than 10000 times",
        ),
    ] {
        assert_eq!(message(source), expected, "{source}");
    }
    let many = message("(pmap tool/boom (range 1000))");
    assert!(many.starts_with("`pmap` failed for 1000 of 1000 elements: 0: `boom` failed: kaboom; 1: "), "{many}");
    assert!(many.ends_with(" more") && many.len() < 2000, "{many}");
    // An endless recursion gives a readable message.
    let deep = message("(defn f [x] (pmap f [x])) (f 1)");
    assert!(deep.ends_with("1: calls are nested deeper than 10000") && deep.len() < 400, "{deep}");
}

#[test]
fn the_exception_of_branches_has_the_data_of_the_first_error() {
    let mut vm = machine();
    let source =
        "(try (pmap tool/boom [7 8]) (catch clojure.lang.ExceptionInfo e [(ex-data e) (count (ex-message e))]))";
    let progress = vm.start(source, 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "[{:args [7] :tool \"boom\"} 85]");
}

#[test]
fn a_caught_error_keeps_its_call_and_frees_the_registers_above() {
    let mut vm = machine();
    let source = "(defn f [n] (if (zero? n) (tool/boom n) (inc (f (dec n))))) (def a 1) [(try (f 2000) (catch Exception e :caught)) a]";
    let progress = vm.start(source, 0);
    let ended = finish(&mut vm, progress);
    assert_eq!(shown(&ended), "[:caught 1]");
    assert_eq!(ended.calls.len(), 1);
    assert_eq!(ended.calls[0].error.as_deref(), Some("`boom` failed: kaboom"));
}

#[test]
fn going_over_the_rest_of_a_vector_is_linear() {
    let mut vm = machine();
    vm.limits.loop_iterations = 10_000_000;
    for source in [
        "(def items (range 200000)) (loop [n 0 items items] (if (seq items) (recur (inc n) (rest items)) n))",
        "(loop [n 0 [x & more :as all] items] (if (seq all) (recur (inc n) more) n))",
        "(loop [n 0 items (range 200000)] (if-let [[x & more] (seq items)] (recur (inc n) more) n))",
        "(loop [n 0 items items] (if (= n 200000) n (recur (inc n) (conj (rest items) n))))",
    ] {
        let progress = vm.start(source, 0);
        let ended = finish(&mut vm, progress);
        assert_eq!(shown(&ended), "200000", "{source}");
        assert!(ended.fuel < 2_000_000, "{source}: {}", ended.fuel);
    }
    // A string is split into characters again each time, which is counted.
    let source = "(let [s (join (repeat 10000 \"x\"))] (dotimes [_ 10] (let [[x & more] s] x)))";
    let progress = vm.start(source, 0);
    assert!(finish(&mut vm, progress).fuel > 100_000);
}

#[test]
fn values_that_share_their_parts_can_not_hang_the_host() {
    let shared = "(reduce (fn [v _] [v v]) [] (range 60))";
    check(&format!("(= {shared} {shared})"), "true");
    check(&format!("(count (set [{shared} {shared}]))"), "1");
    for program in [shared.to_owned(), format!("(def v {shared}) 1"), format!("(tool/echo {shared})")] {
        let mut vm = machine();
        let progress = vm.start(&program, 0);
        assert!(shown(&finish(&mut vm, progress)).starts_with("memory_exceeded: "), "{program}");
    }
    let mut vm = machine();
    let progress = vm.start("(reduce (fn [v _] [v]) [] (range 5000))", 0);
    assert!(shown(&finish(&mut vm, progress)).starts_with("nesting_too_deep: the result is nested"));
}

#[test]
fn garbage_counts_as_memory_only_when_all_is_freed() {
    let mut vm = machine();
    vm.limits.heap_bytes = 24 << 20;
    // Each round takes 13 MB, which the next one needs.
    let progress = vm.start("(dotimes [_ 8] (mapv str (range 200000)))", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "nil");
    let progress = vm.start("(def a (mapv str (range 200000))) (def b (mapv str (range 300000)))", 0);
    assert!(shown(&finish(&mut vm, progress)).starts_with("memory_exceeded: "));
}

#[test]
fn many_branches_wait_at_once() {
    let mut vm = machine();
    (vm.limits.tool_calls, vm.limits.heap_bytes) = (usize::MAX, 1 << 30);
    let progress = vm.start("(count (pmap tool/echo (range 40000)))", 0);
    assert_eq!(shown(&finish(&mut vm, progress)), "40000");
}

#[test]
fn branches_share_atoms() {
    check("(let [a (atom [])] (pmap (fn [x] (swap! a conj (tool/echo x))) [1 2 3]) @a)", "[[1] [2] [3]]");
    check("(let [n (atom 0)] [(pmap (fn [x] (swap! n inc) (tool/echo x) @n) [1 2 3]) @n])", "[[3 3 3] 3]");
    check("(let [n (atom 0)] (pcalls #(swap! n inc) #(swap! n inc)) (future (swap! n inc)) @n)", "3");
    check("(let [n (atom 0)] (try (pmap (fn [x] (swap! n inc) (tool/boom x)) [1 2]) (catch Exception e @n)))", "2");
    let mut vm = machine();
    for (source, expected) in [
        ("(def seen (atom {}))", "#'seen"),
        ("(pmap (fn [x] (let [r (tool/echo x)] (swap! seen assoc x r))) [1 2 3]) @seen", "{1 [1] 2 [2] 3 [3]}"),
        ("(pmap (fn [x] (def own x) (swap! seen dissoc x)) [1 2]) [@seen own]", "[{3 [3]} 2]"),
        ("(swap! seen assoc 4 4) (tool/echo 1) (inc nil)", "type_error"),
        ("@seen", "{3 [3]}"),
    ] {
        let progress = vm.start(source, 0);
        let shown = shown(&finish(&mut vm, progress));
        assert!(shown.starts_with(expected), "{source}: {shown}");
    }
}

#[test]
fn a_swap_that_another_branch_overtakes_is_made_again() {
    let mut vm = machine();
    let source = "(let [n (atom 0)] [(pmap (fn [x] (swap! n (fn [v] (tool/echo v) (+ v x)))) [1 10 100]) @n])";
    let progress = vm.start(source, 0);
    let ended = finish(&mut vm, progress);
    assert_eq!(shown(&ended), "[[1 11 111] 111]");
    let args: Vec<_> = ended.calls.iter().map(|call| text(&call.args)).collect();
    assert_eq!(args.join(" "), "[0] [0] [1] [0] [1] [11]");
}

#[test]
fn atoms_count_as_memory_and_are_freed_with_their_program() {
    let limits = ProgramLimits { heap_bytes: 4 << 20, fuel: 2_000_000, ..ProgramLimits::default() };
    let mut vm = Vm::new(Names::default(), Names::default(), limits);
    let mut run = |source: &str| {
        let progress = vm.start(source, 0);
        shown(&finish(&mut vm, progress)).split(':').next().unwrap_or_default().to_owned()
    };
    for _ in 0..3 {
        assert_eq!(run("(run! atom (range 100000))"), "memory_exceeded");
        assert_eq!(run("(let [a (atom [])] (dotimes [i 9000] (swap! a conj (range i))))"), "memory_exceeded");
        assert_eq!(run("(let [a (atom nil)] (dotimes [i 9000] (reset! a [a @a])) (count (pr-str (first @a))))"), "8");
    }
    assert_eq!(run("(let [a (atom 0)] (swap! a (fn [x] (swap! a inc) x)))"), "fuel_exceeded");
    // What only adds to a collection changes it in place.
    assert_eq!(run("(let [a (atom [])] (dotimes [i 30000] (swap! a conj i)) (count @a))"), "30000");
    assert_eq!(run("(let [a (atom {})] (dotimes [i 9000] (swap! a assoc (str i) i)) (count @a))"), "9000");
    assert_eq!(run("(let [a (atom [1]) b @a] (swap! a conj 2) (swap! a conj 3) [b @a])"), "[[1] [1 2 3]]");
    assert_eq!(run("(let [a (atom [1]) b (swap! a conj 2) c (swap! a conj 3)] [b c @a])"), "[[1 2] [1 2 3] [1 2 3]]");
    assert_eq!(run("(def a (atom nil)) (dotimes [i 9000] (reset! a [@a]))"), "nesting_too_deep");
    assert_eq!(run("(do (def a (atom nil)) (reset! a [a]))"), "type_error");
}

#[test]
fn atoms_are_the_same_in_slices_of_any_size() {
    let source = "(def n (atom [])) (pmap (fn [x] (swap! n (fn [v] (tool/echo x) (conj v x))) (swap! n conj @n)) [1 2 3]) \
                  (while (< (count @n) 12) (swap! n conj (tool/echo (count @n)))) @n";
    let outcomes = [1, 7, 25_000].map(|slice| {
        let mut vm = machine();
        vm.limits.slice = slice;
        let progress = vm.start(source, 0);
        let ended = finish(&mut vm, progress);
        let calls: Vec<_> = ended.calls.iter().map(|call| text(&call.args)).collect();
        (shown(&ended), calls.join(" "), ended.fuel)
    });
    assert!(outcomes[0].0.starts_with("[1 "), "{:?}", outcomes[0]);
    assert!(
        outcomes.iter().all(|outcome| (&outcome.0, &outcome.1) == (&outcomes[0].0, &outcomes[0].1)),
        "{outcomes:?}"
    );
}
