import { state } from "../../states/store.ts";
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
        <p class="view-note">Prices are per million tokens. Enter the input price to see what the run costs.</p>
      ) : (
        <p class="view-note">
          Dollars per million tokens of {label}, copied in {PRICES_DATE} from{" "}
          {model === "gpt-6.2-sol" ? "the provider’s page" : PRICES_LIST}.{note !== undefined && ` ${note}.`} Compare{" "}
          <a href={source} rel="noreferrer">
            {new URL(source).hostname}
          </a>
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
