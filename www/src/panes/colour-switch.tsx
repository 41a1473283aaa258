import type { FunctionComponent } from "preact";
import { Check } from "../controls/check.tsx";
import { Deferred } from "../controls/deferred.tsx";
import { coloursTokens } from "../page/view.ts";
import { hasHighlights } from "./tokens/has-highlights.ts";

interface ColourSwitchProps<P extends object> {
  /** Loads the component that colours the tokens. It is shown after the switch. */
  readonly load: () => Promise<FunctionComponent<P>>;
  readonly props: P;
}

/** The switch for the colours of tokens. Renders nothing in browsers without CSS highlights. */
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
