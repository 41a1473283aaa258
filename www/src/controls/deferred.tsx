import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../page/problem.ts";

/** The time after which a part that is still loading can be requested again. */
const SLOW_MS = 10_000;

type DeferredProps<P extends object> = {
  readonly load: () => Promise<FunctionComponent<P>>;
  /** The name of the part in the error message. */
  readonly what: string;
} & (object extends P ? { readonly props?: P } : { readonly props: P });

/** A component whose code is loaded when it is first shown. */
export function Deferred<P extends object = object>({ load, what, props }: DeferredProps<P>) {
  const [part, setPart] = useState<{ readonly Part: FunctionComponent<P> } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isSlow, setSlow] = useState(false);
  const tryLoading = (): void => {
    setFailure(null);
    load().then(
      (Part) => setPart({ Part }),
      (error) => setFailure(messageOf(error)),
    );
  };
  useEffect(() => {
    tryLoading();
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  if (part !== null) return <part.Part {...(props as P)} />;
  return (
    <p role="status" class="deferred">
      {failure !== null
        ? `${what} could not be loaded: ${failure}. `
        : isSlow
          ? `${what} is slow to load. `
          : "Loading …"}
      {(failure !== null || isSlow) && (
        <button type="button" class="link" onClick={tryLoading}>
          Try again
        </button>
      )}
    </p>
  );
}
