import { state } from "../../store.ts";
import { models, PRICES_DATE, PRICES_LIST } from "../../tokens/models.ts";
import { AmountFields } from "./amounts.tsx";

/** The prices of the model. */
export function PriceView() {
  const { model } = state.value.tokens;
  const { label, note, source, prices } = models[model];
  return (
    <>
      <AmountFields names={["inputPrice", "cachedPrice", "writePrice", "outputPrice", "cacheMinimum"]} />
      {prices === null ? (
        <p class="view-note">
          Prices are those of a million tokens. Set the price of the input to see what the run costs.
        </p>
      ) : (
        <p class="view-note">
          Dollars for a million tokens of {label}, copied in {PRICES_DATE} from{" "}
          {model === "gpt-6.2-sol" ? "the provider’s page" : PRICES_LIST}.{note !== undefined && ` ${note}.`} Compare{" "}
          <a href={source} rel="noreferrer">
            {new URL(source).hostname}
          </a>
          , and enter your own where they differ.
        </p>
      )}
      <p class="view-note">
        Every call of the run is made again with the strategy and billed in turn: what it shares with the calls before
        is read from the cache, as long as the cache keeps it.
      </p>
    </>
  );
}
