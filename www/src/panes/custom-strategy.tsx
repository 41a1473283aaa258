import { chat, editChat } from "../chat/store.ts";
import { CodeField } from "../controls/code-field.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { completionsAt, types } from "../custom/completions.ts";
import { allow, allowed, CUSTOM_FIELD } from "../custom/ran.ts";
import { samples } from "../custom/samples.ts";
import type { Problem } from "../page/problem.ts";
import { edit, state } from "../states/store.ts";
import "../style/custom.css";

export interface CustomStrategyProps {
  readonly kind: keyof typeof samples;
  /** A problem of the field; those of turns are known by its id. */
  readonly problem?: Problem | null;
  /** Whether it is the strategy of a running agent. */
  readonly ofAgent?: boolean;
}

/** The editor of the user's own strategy, with its types. */
export function CustomStrategy({ kind, problem = null, ofAgent = false }: CustomStrategyProps) {
  if (ofAgent)
    return (
      <p class="empty">
        On this tab the agent runs without a strategy: yours runs in a sandbox, and a running agent does not wait for
        it. The Turns tab shows its messages.
      </p>
    );
  const source = kind === "turns" ? state.value.customStrategy : chat.value.customStrategy;
  const text = source || samples[kind];
  const set = (customStrategy: string): void => {
    allow(customStrategy);
    if (kind === "turns") edit({ customStrategy });
    else editChat({ customStrategy });
  };
  return (
    <section class="custom" aria-label="Your own strategy">
      {!allowed.value.has(source) && (
        <p class="custom-waits">
          This strategy came with a link or a file, and has not run. It runs in a sandbox, without network and without
          access to this page.{" "}
          <button type="button" class="button" onClick={() => allow(source)}>
            Run the strategy
          </button>
        </p>
      )}
      <div class="custom-code">
        <CodeField
          id={kind === "turns" ? CUSTOM_FIELD : `${CUSTOM_FIELD}-chat`}
          label="Your own strategy"
          hint="JavaScript; it runs as you type"
          fullLabel="Code of your own strategy"
          language="javascript"
          value={text}
          problems={problem === null ? NONE : [problem]}
          complete={(typed, offset) => completionsAt(kind, typed, offset)}
          // An empty field is not the example.
          onInput={(typed) => set(typed === "" ? "\n" : typed === samples[kind] ? "" : typed)}
        />
        <details class="custom-types">
          <summary>Types</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it. */}
          <pre tabIndex={0}>
            <code>{types[kind]}</code>
          </pre>
        </details>
      </div>
      <p class="custom-actions">
        <CopyButton text={text} label="Copy the module of the strategy" caption="Copy the module" />
        {source !== "" && (
          <button type="button" class="link" onClick={() => set("")}>
            Back to the example
          </button>
        )}
        <a href="./docs/custom-strategies.html" target="_blank" rel="noopener">
          How strategies are written
        </a>
      </p>
    </section>
  );
}

const NONE: readonly Problem[] = [];
