import type { SavedState, SavedTurn } from "../states/saved.ts";
import { fenced, repliesOf } from "./replies.ts";

interface Review {
  readonly id: number;
  readonly language: string;
  readonly stars: number;
  readonly text: string;
  /** The German translation of a review in another language, where there is one. */
  readonly german?: string;
}

const reviewList: readonly Review[] = [
  {
    id: 1,
    language: "de",
    stars: 2,
    text: "Schöner Stuhl, aber die Füße wackeln. Für 249 € hätte ich mehr erwartet – schade!",
  },
  { id: 2, language: "ja", stars: 5, text: "座り心地は最高です。組み立ても十五分で終わりました。" },
  {
    id: 3,
    language: "ar",
    stars: 1,
    text: "وصل الكرسي مكسورًا ولم يرد أحد على رسائلي.",
    german: "Der Stuhl kam zerbrochen an, und niemand hat auf meine Nachrichten geantwortet.",
  },
  { id: 4, language: "el", stars: 4, text: "Πολύ άνετη, αλλά το χρώμα είναι πιο σκούρο από τη φωτογραφία." },
  {
    id: 5,
    language: "hi",
    stars: 2,
    text: "एक पहिया पहले ही दिन टूट गया।",
    german: "Eine Rolle ist schon am ersten Tag gebrochen.",
  },
  { id: 6, language: "pt", stars: 5, text: "Chegou em três dias, a instalação é fácil. Recomendo 👍🏽" },
  { id: 7, language: "uk", stars: 5, text: "Зручне крісло, уся сім’я задоволена 👩‍👩‍👧‍👦" },
  {
    id: 8,
    language: "zh",
    stars: 1,
    text: "轮子坏了，客服说要等六个星期。",
    german: "Die Rolle ist kaputt, und der Kundendienst sagt, es dauere sechs Wochen.",
  },
];

const unhappy = reviewList.filter(({ stars }) => stars <= 2);
const foreign = unhappy.filter(({ german }) => german !== undefined);

const full = ({ id, language, stars, text }: Review): string =>
  `{:id ${id} :sprache "${language}" :sterne ${stars} :text "${text}"}`;

const vector = (items: readonly string[]): string => `[${items.join("\n  ")}]`;

const translated = vector(unhappy.map(({ id, text, german }) => `{:id ${id} :text "${german ?? text}"}`));

const answer = `({ text }) => (${JSON.stringify(Object.fromEntries(foreign.map(({ text, german }) => [text, german])), null, 2)})[text]`;

const count = String(unhappy.length);

const turns: readonly SavedTurn[] = [
  {
    program: `(def schlecht (filter (fn [r] (<= (:sterne r) 2)) data/bewertungen))
(println (count schlecht) "von" (count data/bewertungen) "Bewertungen sind schlecht")
(map (fn [r] (println (str (:sprache r) ":") (:text r))) schlecht)`,
    prints: [
      `${count} von ${reviewList.length} Bewertungen sind schlecht`,
      ...unhappy.map(({ language, text }) => `${language}: ${text}`),
    ],
    memory: `{:schlecht\n ${vector(unhappy.map(full))}}`,
    result: `[${unhappy.map(() => "nil").join(" ")}]`,
  },
  {
    program: `(def auf-deutsch
  (pmap (fn [r]
          {:id (:id r)
           :text (if (= (:sprache r) "de")
                   (:text r)
                   (tool/übersetze {:text (:text r) :aus (:sprache r)}))})
        schlecht))
(defn betrifft? "Ob eines der Wörter darin vorkommt, groß oder klein" [wörter r]
  (boolean (some (fn [w] (includes? (lower-case (:text r)) w)) wörter)))
(def gründe
  {:füße-und-rollen (map :id (filter (fn [r] (betrifft? ["füße" "rolle"] r)) auf-deutsch))
   :lieferung (map :id (filter (fn [r] (betrifft? ["zerbrochen" "kam "] r)) auf-deutsch))})
(println "Füße und Rollen:" (count (:füße-und-rollen gründe)) "📦 Lieferung:" (count (:lieferung gründe)))
gründe`,
    prints: ["Füße und Rollen: 3 📦 Lieferung: 1"],
    calls: foreign.map(({ language, text, german }) => ({
      name: "übersetze",
      args: `{:aus "${language}" :text "${text}"}`,
      result: `"${german}"`,
    })),
    memory: `{:auf-deutsch\n ${translated}\n :gründe {:füße-und-rollen [1 5 8] :lieferung [3]}}`,
    functions: [
      {
        name: "betrifft?",
        params: "wörter r",
        doc: "Ob eines der Wörter darin vorkommt, groß oder klein",
        returns: "boolean",
      },
    ],
    result: "{:füße-und-rollen [1 5 8] :lieferung [3]}",
  },
];

export const reviews: SavedState = {
  mission:
    "Lies die schlechten Bewertungen, in welcher Sprache auch immer, und sag, woran es lag. Übersetze nur, was du brauchst.",
  tools: [
    {
      name: "übersetze",
      signature: "(text :string, aus :string) -> :string",
      description: "Übersetzt einen Text ins Deutsche",
      answer,
      delay: "250",
    },
  ],
  data: `{:bewertungen\n [${reviewList.map(full).join("\n  ")}]}`,
  signature: "() -> {gründe :map, antwort :string}",
  fields: [{ path: "antwort", description: "Ein Satz für die Werkstatt, auf Deutsch" }],
  options: { maxTurns: "4" },
  program: `(map (fn [r] [(:sprache r) (count (:text r))]) data/bewertungen)`,
  turns,
  replies: repliesOf(
    turns,
    fenced(`(return {:gründe gründe
         :antwort "Drei von vier Beschwerden gelten Füßen und Rollen."})`),
  ),
};
