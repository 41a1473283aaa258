import { type ModelPrice, PRICES_DATE } from "turnfold/model/model-prices";
import { formatted, money } from "../../page/numbers.ts";
import { state } from "../../states/store.ts";
import { modelOf } from "../../tokens/models.ts";
import { AmountFields } from "./amounts.tsx";

/** The pages on which providers publish their prices. */
const SOURCES: Readonly<Partial<Record<ModelPrice["provider"], string>>> = {
  anthropic: "https://platform.claude.com/docs/en/about-claude/pricing",
  openai: "https://developers.openai.com/api/docs/pricing",
  "openai before 5.6": "https://developers.openai.com/api/docs/pricing",
  google: "https://ai.google.dev/gemini-api/docs/pricing",
  deepseek: "https://api-docs.deepseek.com/quick_start/pricing",
};

/** The prices of the model. */
export function PriceView() {
  const { model } = state.value.tokens;
  const { label, provider, prices } = modelOf(model);
  const source = provider === null ? undefined : SOURCES[provider];
  const [tier] = prices?.tiers ?? [];
  const { above = 0, input = 0, output = 0 } = tier ?? {};
  return (
    <>
      <AmountFields names={["inputPrice", "cachedPrice", "writePrice", "outputPrice", "cacheMinimum"]} />
      {prices === null ? (
        <p class="view-note">Prices are per million tokens. Enter the input price to see what the run costs.</p>
      ) : (
        <p class="view-note">
          Dollars per million tokens of {label}, in the package’s list of {PRICES_DATE}.
          {tier !== undefined &&
            ` A request of more than ${formatted(above)} tokens costs ${money(input)} for input, ${money(output)} for output.`}{" "}
          Compare{" "}
          {source === undefined ? (
            "the provider’s page"
          ) : (
            <a href={source} rel="noreferrer">
              {new URL(source).hostname}
            </a>
          )}
          , and enter your own where they differ.
        </p>
      )}
      <p class="view-note">
        The requests of the run are rendered with the strategy and billed in order: the part that a request shares with
        earlier ones is read from the cache, as long as the cache keeps it.
      </p>
    </>
  );
}
