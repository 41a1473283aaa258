;; Evaluates the examples of the manual in Clojure. The file that the first argument names holds a
;; vector of blocks, each a vector of maps with :source and :expected; for each example, a line is
;; written: same, differs, error, absent or unreadable, a tab, and what Clojure gives.

(require '[clojure.string :as str] '[clojure.walk :as walk])

(defn plain
  "Characters as texts, all that is sequential as vectors, so that both sides are written alike."
  [value]
  (walk/postwalk
   (fn [part]
     (cond
       (char? part) (clojure.core/str part)
       (map-entry? part) part
       (sequential? part) (vec part)
       (var? part) (symbol (clojure.core/str "#'" (:name (meta part))))
       ;; The manual shows ten decimals.
       (and (float? part) (not (Double/isInfinite part)) (not (Double/isNaN part)))
       (.doubleValue (.setScale (bigdec part) 10 java.math.RoundingMode/HALF_UP))
       :else part))
   value))

(defn written [value]
  (binding [*print-length* 1000]
    (let [value (plain value)]
      (cond
        (map? value) (str "{" (str/join " " (sort (map (fn [[k v]] (str (written k) " " (written v))) value))) "}")
        (set? value) (str "#{" (str/join " " (sort (map written value))) "}")
        (vector? value) (str "[" (str/join " " (map written value)) "]")
        :else (pr-str value)))))

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
      (nil? known) ["unreadable" expected]
      (instance? Throwable result) (let [text (message result)]
                                     [(if (re-find #"Unable to resolve symbol|No such (namespace|var)" text) "absent" "error") text])
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
