import { type ModelPrice, modelPrice } from "turnfold/model/model-prices";

/** The models of the chooser by their names in the package's list of prices. The first is the default. */
const chooser = {
  "claude-sonnet-5.5": "Claude Sonnet 5.5",
  "claude-opus-5.5": "Claude Opus 5.5",
  "claude-haiku-5.5": "Claude Haiku 5.5",
  "claude-haiku-4.5": "Claude Haiku 4.5",
  "gpt-6.2-sol": "GPT-6.2 Sol",
  "gpt-6-luna": "GPT-6 Luna",
  "gpt-5.4-mini": "GPT-5.4 mini",
  "gpt-4o": "GPT-4o",
  "gemini-3.8-flash": "Gemini 3.8 Flash",
  "deepseek-v4-flash": "DeepSeek V4 Flash",
  own: "a model of your own",
};

/** The name of a model in the package's list, or `own`, which has no prices until they are entered. */
export type ModelChoice = string;

export const modelChoices = Object.keys(chooser) as [ModelChoice, ...ModelChoice[]];

/** The window and the prices of a model. */
export interface ModelEntry {
  readonly label: string;
  /** The context window in tokens, including the reply. */
  readonly window: number;
  /** Dollars for a million tokens, and how the cache works; null without prices. */
  readonly prices: ModelPrice["prices"] | null;
  /** The group of models in the list; null for a model of the user's. */
  readonly provider: ModelPrice["provider"] | null;
}

const OWN: ModelEntry = { label: chooser.own, provider: null, window: 128_000, prices: null };

const known = new Map<ModelChoice, ModelEntry | null>([["own", OWN]]);

/** The entry of a model at the prices of today; null for a name that is not in the list. */
export function knownModel(name: ModelChoice): ModelEntry | null {
  const entry = known.get(name) ?? entryOf(name);
  known.set(name, entry);
  return entry;
}

/** The same; a name that is not in the list is a model without prices. */
export const modelOf = (name: ModelChoice): ModelEntry => knownModel(name) ?? OWN;

function entryOf(name: ModelChoice): ModelEntry | null {
  const listed = modelPrice(name, Date.now());
  if (listed === null) return null;
  const { provider, window, prices } = listed;
  return { label: chooser[name as keyof typeof chooser] ?? listed.name, provider, window, prices };
}
