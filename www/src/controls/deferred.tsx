import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

type DeferredProps<P extends object> = {
  readonly load: () => Promise<FunctionComponent<P>>;
  /** The name of the part in the error message. */
  readonly what: string;
} & (object extends P ? { readonly props?: P } : { readonly props: P });

/** A component whose code is loaded when it is first shown. */
export function Deferred<P extends object = object>({ load, what, props }: DeferredProps<P>) {
  const [part, setPart] = useState<{ readonly Part: FunctionComponent<P> } | null>(null);
  const [failed, setFailed] = useState(false);
  const tryLoading = (): void => {
    setFailed(false);
    load().then(
      (Part) => setPart({ Part }),
      () => setFailed(true),
    );
  };
  useEffect(tryLoading, []);
  if (part !== null) return <part.Part {...(props as P)} />;
  return (
    <p role="status" class="deferred">
      {failed ? `${what} could not be loaded. ` : "Loading …"}
      {failed && (
        <button type="button" class="link" onClick={tryLoading}>
          Try again
        </button>
      )}
    </p>
  );
}
