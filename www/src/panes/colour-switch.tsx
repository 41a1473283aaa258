import type { FunctionComponent } from "preact";
import { Check } from "../controls/check.tsx";
import { Deferred } from "../controls/deferred.tsx";
import { coloursTokens } from "../view.ts";
import { hasHighlights } from "./tokens/has-highlights.ts";

interface ColourSwitchProps<P extends object> {
  /** Loads what colours the tokens, which is shown behind the switch. */
  readonly load: () => Promise<FunctionComponent<P>>;
  readonly props: P;
}

/** Switches the colours of tokens; nothing where texts can't be highlighted. */
export const ColourSwitch = <P extends object>({ load, props }: ColourSwitchProps<P>) =>
  hasHighlights() ? (
    <>
      <Check
        label="Colour tokens"
        isChecked={coloursTokens.value}
        onChange={(isChecked) => {
          coloursTokens.value = isChecked;
        }}
      />
      {coloursTokens.value && <Deferred load={load} what="The colours" props={props} />}
    </>
  ) : null;
