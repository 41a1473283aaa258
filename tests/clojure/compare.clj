;; Evaluates the examples of the manual and the expressions of the suites in Clojure. The file that the
;; first argument names holds a vector of blocks, each a vector of maps with :source and, for examples of
;; the manual, :expected; for each of them a line is written: value, same, differs, error, absent or
;; unreadable, a tab, and what Clojure gives.

(require '[clojure.string :as str])

(declare written)

(defn in-order [texts]
  (str/join " " (sort texts)))

(defn decimal
  "A float as the manual shows it: at most ten decimals, and no exponent."
  [number]
  (if (or (zero? number) (Double/isInfinite number) (Double/isNaN number))
    (pr-str (double number))
    (let [rounded (.stripTrailingZeros (.setScale (bigdec number) 10 java.math.RoundingMode/HALF_UP))]
      (.toPlainString (if (pos? (.scale rounded)) rounded (.setScale rounded 1))))))

(def in-milliseconds
  (.toFormatter (.appendInstant (java.time.format.DateTimeFormatterBuilder.) 3)))

(defn written
  "The text of a value, the same for equal values here and there: characters are texts, all that is
  sequential is a vector, the elements of maps and sets are sorted."
  [value]
  (cond
    (map? value) (str "{" (in-order (map (fn [[k v]] (str (written k) " " (written v))) value)) "}")
    (set? value) (str "#{" (in-order (map written value)) "}")
    (or (sequential? value) (instance? java.util.Map$Entry value)) (str "[" (str/join " " (map written value)) "]")
    (char? value) (pr-str (str value))
    (float? value) (decimal value)
    (integer? value) (str value)
    (var? value) (str "#'" (:name (meta value)))
    (fn? value) "#fn"
    (instance? java.util.Date value) (written (.toInstant value))
    (instance? java.time.Instant value) (str "#inst \"" (.format in-milliseconds value) "\"")
    (instance? java.time.LocalDate value) (str "#time/date \"" value "\"")
    (or (nil? value) (boolean? value) (string? value) (ident? value) (number? value)
        (instance? java.util.regex.Pattern value) (uuid? value)) (pr-str value)
    :else (str "#object[" (.getName (class value)) "]")))

(defn in-time [work]
  (let [running (future (try (work) (catch Throwable problem problem)))
        result (deref running 5000 ::late)]
    (if (= result ::late)
      (do (future-cancel running) (ex-info "it does not end" {}))
      result)))

(defn message [problem]
  (str (class problem) ": " (.getMessage (or (.getCause problem) problem))))

(defn outcome [space {:keys [source expected]}]
  (let [known (try (if (str/starts-with? expected "#'") expected (written (read-string expected))) (catch Exception _ nil))
        result (in-time #(binding [*ns* space *out* (java.io.StringWriter.)]
                           (try (written (load-string source))
                                (catch Throwable problem problem))))]
    (cond
      (and expected (nil? known)) ["unreadable" expected]
      (instance? Throwable result) (let [text (message result)]
                                     [(if (re-find #"Unable to resolve symbol|No such (namespace|var)" text) "absent" "error") text])
      (nil? expected) ["value" result]
      (= result known) ["same" ""]
      :else ["differs" result])))

(defn space-of
  "A namespace for a block, in which texts and sets are at hand as they are in the manual."
  [number]
  (let [space (create-ns (symbol (str "block" number)))]
    (binding [*ns* space]
      (refer-clojure :exclude '[replace reverse])
      (require '[clojure.string :as str :refer [join split trim triml trimr trim-newline blank? capitalize starts-with?
                                                ends-with? includes? upper-case lower-case split-lines index-of
                                                last-index-of]]
               '[clojure.set :as set :refer [union intersection difference subset? superset? rename-keys map-invert]]
               '[clojure.walk :refer [postwalk prewalk keywordize-keys stringify-keys postwalk-replace]]
               '[clojure.math]))
    (intern space 'replace
            (fn [& args] (apply (if (= (count args) 3) str/replace clojure.core/replace) args)))
    (intern space 'reverse clojure.core/reverse)
    space))

(doseq [[number block] (map-indexed vector (read-string (slurp (first *command-line-args*))))
        :let [space (space-of number)]
        example block
        :let [[kind text] (outcome space example)]]
  (println (str kind "\t" (str/replace (str text) #"\s" " "))))
(shutdown-agents)
(System/exit 0)
