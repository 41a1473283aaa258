//! The special forms: how many parts they take, their usage, and hints for forms of Clojure that do not
//! exist here.

use super::form::{Form, FormKind};

/// Operators of `where`.
pub(super) const WHERE_OPERATORS: [&str; 8] = ["=", "not=", ">", "<", ">=", "<=", "includes", "in"];

/// Name, least and greatest number of parts (`usize::MAX`: any number), usage, documentation.
type Row = (&'static str, usize, usize, &'static str, &'static str);

const MANY: usize = usize::MAX;

/// Sorted by name, for binary search.
static FORMS: [Row; 51] = [
    ("->", 1, MANY, "(-> x (f a) g)", "Threads x through calls as their first argument."),
    ("->>", 1, MANY, "(->> coll (map f) (filter g))", "Threads x through calls as their last argument."),
    ("and", 0, MANY, "(and a b)", "The first falsy value, else the last."),
    ("as->", 2, MANY, "(as-> x name (f name) (g 1 name))", "Threads x through forms under a name."),
    ("case", 1, MANY, "(case x :a 1 (:b :c) 2 default)", "Chooses by a constant."),
    ("catch", 0, MANY, "(catch Exception e (ex-message e))", "Handles an error of the body of `try`."),
    ("comment", 0, MANY, "(comment …)", "nil; nothing inside is run."),
    ("cond", 0, MANY, "(cond test value :else value)", "The value behind the first test that holds."),
    ("cond->", 1, MANY, "(cond-> x test (f a))", "Threads x first through the steps whose test holds."),
    ("cond->>", 1, MANY, "(cond->> x test (f a))", "Threads x last through the steps whose test holds."),
    ("condp", 2, MANY, "(condp = x 1 :one 2 :two :other)", "Chooses by (f test x)."),
    ("declare", 0, MANY, "(declare name)", "Says that a name is defined further down."),
    ("def", 1, 3, "(def name \"doc\" value)", "Defines a name for this and later programs."),
    ("defmethod", 3, MANY, "(defmethod area :circle [{:keys [r]}] …)", "Adds a method; `:default` takes other values."),
    ("defmulti", 2, MANY, "(defmulti area :shape)", "Defines a function that chooses a method by a value."),
    ("defn", 2, MANY, "(defn name \"doc\" [a b & more] body)", "Defines a function."),
    ("defn-", 2, MANY, "(defn- name [a] body)", "Defines a function."),
    ("defonce", 2, 2, "(defonce name value)", "Defines a name unless it is defined."),
    ("delay", 0, MANY, "(delay body)", "The value of the body, at once; `@` gives it."),
    ("do", 0, MANY, "(do a b)", "Evaluates all; the last value."),
    ("doseq", 1, MANY, "(doseq [x coll :when (odd? x)] body)", "Runs the body for every element; nil."),
    ("dotimes", 1, MANY, "(dotimes [i 3] body)", "Runs the body for 0, 1, … n-1; nil."),
    ("finally", 0, MANY, "(finally body)", "Runs at the end of `try`, after an error too."),
    ("fn", 1, MANY, "(fn [a b & more] body)", "A function; `#(f % %2)` for short."),
    ("for", 2, MANY, "(for [x coll :let [y (f x)] :when y] body)", "A vector of the body for every element."),
    ("future", 0, MANY, "(future body)", "The value of the body, at once; `pcalls` runs side by side."),
    ("if", 2, 3, "(if test then else)", "nil and false are falsy."),
    ("if-let", 2, 3, "(if-let [x value] then else)", "Binds when the value is truthy."),
    ("if-not", 2, 3, "(if-not test then else)", "The opposite of if."),
    ("if-some", 2, 3, "(if-some [x value] then else)", "Binds when the value is not nil."),
    ("import", 0, MANY, "(import java.time.LocalDate)", "nil: nothing has to be loaded."),
    ("in-ns", 1, 1, "(in-ns 'name)", "nil: there is one namespace."),
    ("let", 1, MANY, "(let [a 1 {:keys [b]} m [c & more] v] body)", "Binds names."),
    ("letfn", 1, MANY, "(letfn [(f [x] …)] body)", "Binds functions; each sees itself and those before it."),
    ("loop", 1, MANY, "(loop [i 0 acc []] (if (< i 3) (recur (inc i) (conj acc i)) acc))", "Binds names for recur."),
    ("ns", 1, MANY, "(ns name (:require [clojure.string :as str]))", "nil: nothing has to be loaded."),
    ("or", 0, MANY, "(or a b)", "The first truthy value, else the last."),
    ("recur", 0, MANY, "(recur (inc i))", "The next round of the loop or function around it."),
    ("refer", 0, MANY, "(refer 'clojure.string)", "nil: nothing has to be loaded."),
    ("require", 0, MANY, "(require '[clojure.string :as str])", "nil: nothing has to be loaded."),
    ("some->", 1, MANY, "(some-> x (f a))", "Threads x first until a step gives nil."),
    ("some->>", 1, MANY, "(some->> x (f a))", "Threads x last until a step gives nil."),
    (
        "try",
        0,
        MANY,
        "(try body (catch Exception e (ex-message e)) (finally body))",
        "The body, or what `catch` gives for an error of a tool or of data.",
    ),
    ("use", 0, MANY, "(use 'clojure.set)", "nil: nothing has to be loaded."),
    ("when", 1, MANY, "(when test body)", "The body when the test holds, else nil."),
    ("when-first", 1, MANY, "(when-first [x coll] body)", "Binds the first element, unless there is none."),
    ("when-let", 1, MANY, "(when-let [x value] body)", "Binds and runs when the value is truthy."),
    ("when-not", 1, MANY, "(when-not test body)", "The opposite of when."),
    ("when-some", 1, MANY, "(when-some [x value] body)", "Binds and runs when the value is not nil."),
    ("where", 1, 3, "(where :price > 10)", "A predicate on a field; also `(where :name)`."),
    ("while", 1, MANY, "(while test body)", "Runs the body as long as the test holds; nil."),
];

fn row(name: &str) -> Option<&'static Row> {
    FORMS.binary_search_by(|row| row.0.cmp(name)).ok().and_then(|position| FORMS.get(position))
}

/// Returns the name, usage and documentation of every special form.
pub fn forms() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    FORMS.iter().map(|row| (row.0, row.3, row.4))
}

/// Returns true for the name of a special form.
pub(super) fn is_special(name: &str) -> bool {
    row(name).is_some()
}

/// Returns true for special forms that a definition of the same name does not replace in a call.
pub(super) fn is_reserved(name: &str) -> bool {
    is_primitive(name) || matches!(name, "defn" | "fn" | "let" | "loop")
}

/// Returns true for special forms that a local of the same name does not replace in a call either.
pub(super) fn is_primitive(name: &str) -> bool {
    matches!(name, "def" | "do" | "if" | "recur")
}

/// Returns whether a special form takes `parts` parts.
pub(super) fn takes(name: &str, parts: usize) -> bool {
    row(name).is_some_and(|row| (row.1..=row.2).contains(&parts))
}

/// Returns the syntax of a special form.
pub(super) fn usage(name: &str) -> &'static str {
    row(name).map_or("", |row| row.3)
}

pub(super) fn is_named(parts: &[Form], name: &str) -> bool {
    matches!(parts.first().map(|form| &form.kind), Some(FormKind::Symbol(symbol)) if symbol.namespace.is_none() && *symbol.name == *name)
}

/// Returns whether the form loads namespaces, which it names by quoted symbols.
pub(super) fn is_loading(name: &str) -> bool {
    matches!(name, "import" | "in-ns" | "ns" | "refer" | "require" | "use")
}

/// Names of Clojure, of its namespaces by their last part, and of classes of Java that do not exist here, and what to do
/// instead.
const ELSEWHERE: [(&str, &str); 32] = [
    (
        "LocalDateTime ZonedDateTime OffsetDateTime ZoneId",
        "times are instants in UTC: write `(Instant/parse \"2026-01-31T10:00:00Z\")`, or `LocalDate/parse` for a day",
    ),
    ("LocalTime", "a time of day is a text here, or its minutes: `(+ (* 60 hours) minutes)`"),
    (
        "YearMonth",
        "a month is the text `(subs (str date) 0 7)`; its first day is `(LocalDate/parse (str month \"-01\"))`",
    ),
    (
        "DateTimeFormatter SimpleDateFormat",
        "`(str date)` gives \"2026-01-31\"; other forms are made of its parts: `(format \"%02d.%02d.\" (.getDayOfMonth d) (.getMonthValue d))`",
    ),
    (
        "PersistentQueue ArrayDeque LinkedList",
        "use a vector: `conj` adds at its end, `first` and `rest` take from its start",
    ),
    ("URLDecoder", "write `(str/replace s #\"%([0-9A-F]{2})\" (fn [[_ hex]] (str (char (Integer/parseInt hex 16)))))`"),
    (
        "ref agent compare-and-set! ref-set alter commute add-watch remove-watch set-validator! send send-off",
        "use an atom: `(def x (atom 0))`, `@x`, `(swap! x inc)`, `(reset! x 0)`",
    ),
    (
        "lazy-seq lazy-cat",
        "nothing is lazy: collect in a `loop` with `conj`; `(take-while pred (iterate f x))` computes as much as is needed",
    ),
    (
        "eval load-string load-file resolve ns-resolve requiring-resolve find-var intern defmacro macroexpand macroexpand-1 quote",
        "programs can't make programs: use functions; parse data with `parse-long` or `json/parse-string`",
    ),
    (
        "slurp spit http fetch read read-line line-seq file-seq with-open",
        "the world outside is reached by tools: `(tool/name {…})`",
    ),
    (
        "rand rand-int rand-nth random-sample shuffle random-uuid UUID Random ThreadLocalRandom",
        "nothing is random here: choose by a rule, or ask a tool",
    ),
    (
        "promise deliver async await go thread pvalues future-call future-cancel future-done?",
        "write the calls plainly: a tool call waits by itself, `(pmap f coll)` and `(pcalls f g)` run side by side",
    ),
    (
        "defprotocol defrecord deftype reify extend extend-type extend-protocol proxy defstruct struct \
         struct-map derive isa? satisfies? methods get-method remove-method prefer-method",
        "use maps, `case`, or `defmulti` and `defmethod`",
    ),
    ("class? record? uri? bytes?", "ask with a predicate such as `map?`, or for the `type` of the value"),
    ("time", "no clock runs: `(Instant/now)` is the time when the program began"),
    ("re-matcher re-groups", "`re-find`, `re-matches` and `re-seq` give the groups, in vectors"),
    ("hash hash-combine", "values are keys themselves: `(get m x)`, `(group-by f coll)`"),
    ("dosync locking io! sync", "leave it out: one thing runs after the other"),
    (
        "aget aset alength aclone amap areduce make-array into-array to-array object-array int-array long-array double-array \
         char-array byte-array",
        "use vectors: `(nth v i)`, `(assoc v i x)`, `(count v)`, `(vec coll)`",
    ),
    ("symbol gensym", "there are no symbols as values: use keywords, `(keyword s)`, or strings"),
    ("pr newline flush", "print with `(println …)`; `(pr-str x)` gives the text of a value"),
    ("print-table", "print with `println`: a row each `(run! println rows)`; `(pr-str x)` gives the text of a value"),
    ("with-out-str", "make the text itself: `(str/join \"\\n\" lines)`"),
    (
        "with-precision bigdec rationalize .setScale RoundingMode BigDecimal MathContext BigInteger",
        "numbers are integers and floats: write `(round x 2)`, and `(format \"%.2f\" x)` for a text",
    ),
    ("trampoline", "call the function itself, or write a `loop`"),
    ("iteration", "write a `loop` that calls the next page and collects with `into`"),
    ("binding with-redefs with-local-vars alter-var-root", "pass it to the functions as an argument"),
    ("meta with-meta vary-meta", "there is no metadata: keep it in a map beside the value"),
    ("StringBuilder StringBuilder. .append", "join texts: `(str/join \"\" parts)`, or `(reduce str parts)`"),
    ("new . .. set! var doto memfn monitor-enter", "there are no objects: use the functions of the language"),
    ("transient persistent! conj! assoc! dissoc!", "use `conj` and `assoc`: they are as fast"),
    ("call", "call a tool with `(tool/name {…})`"),
];

/// Returns what to do instead of a name that does not exist here.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(names, _)| names.split(' ').any(|word| word == name)).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_found() {
        assert!(FORMS.iter().all(|row| self::row(row.0).is_some_and(|found| found.0 == row.0)));
        assert!(row("").is_none() && row("loops").is_none());
    }
}
