import { PRICES_DATE } from "turnfold/model/model-prices";
import { state } from "../../states/store.ts";
import { modelOf } from "../../tokens/models.ts";
import { AmountFields } from "./amounts.tsx";

/** The prices of the model. */
export function PriceView() {
  const { model } = state.value.tokens;
  const { label, note, source, prices } = modelOf(model);
  return (
    <>
      <AmountFields names={["inputPrice", "cachedPrice", "writePrice", "outputPrice", "cacheMinimum"]} />
      {prices === null ? (
        <p class="view-note">Prices are per million tokens. Enter the input price to see what the run costs.</p>
      ) : (
        <p class="view-note">
          Dollars per million tokens of {label}, in the package’s list of {PRICES_DATE}.
          {note !== undefined && ` ${note}.`} Compare{" "}
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
