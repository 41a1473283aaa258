import type { ComponentChildren } from "preact";
import type { ChatMessage } from "turnfold";
import { Deferred } from "../../controls/deferred.tsx";
import { Icon } from "../../controls/icon.tsx";
import { percent } from "../../page/numbers.ts";
import { editTokens, state } from "../../states/store.ts";
import { amountsOf, overSentence, type TokenView } from "../../tokens/settings.ts";
import type { Point } from "../../tokens/timeline.ts";
import type { Frame } from "../../turns/render.ts";

export interface ViewProps {
  /** Tokens of the request. */
  readonly tokens: number;
  /** The frame of turns; null for a chat, which has fewer views. */
  readonly frame: Frame | null;
  /** The messages of a chat that are sent; null for turns. */
  readonly messages: readonly ChatMessage[] | null;
  readonly timeline: { readonly points: readonly Point[]; readonly stale: boolean } | null;
}

const views: readonly { readonly name: Exclude<TokenView, "none">; readonly label: string }[] = [
  { name: "sections", label: "Sections" },
  { name: "window", label: "Window" },
  { name: "price", label: "Price" },
  { name: "cache", label: "Cache" },
];

const loadView = async () => (await import("./view.tsx")).View;

interface TokenViewsProps extends ViewProps {
  readonly children: ComponentChildren;
}

/** The buttons of the token views; at most one view is open. `children` follow the buttons. */
export function TokenViews({ tokens, frame, messages, timeline, children }: TokenViewsProps) {
  const shown = views.filter(({ name }) => frame !== null || name === "window" || name === "price");
  const view = shown.find(({ name }) => name === state.value.tokens.view)?.name ?? "none";
  const amounts = amountsOf(state.value.tokens);
  const isOver = tokens + amounts.reserve > amounts.window;
  return (
    <div class="token-views">
      <div class="token-view-row">
        <fieldset class="token-view-buttons">
          <legend class="visually-hidden">Look closer at the tokens</legend>
          {shown.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              class="token-view-button"
              aria-expanded={view === name}
              aria-controls={view === name ? "token-view" : undefined}
              onClick={() => editTokens({ view: view === name ? "none" : name })}
            >
              {label}
              {name === "window" && (
                <span class="token-view-fact" data-over={isOver || undefined}>
                  {isOver && <Icon name="alert" />}
                  {percent(tokens, amounts.window)}
                </span>
              )}
            </button>
          ))}
        </fieldset>
        {children}
      </div>
      {isOver && view !== "window" && <p class="over-budget">{overSentence(tokens, amounts)}</p>}
      {view !== "none" && (
        <div class="token-view" id="token-view">
          <Deferred load={loadView} what="This view" props={{ tokens, frame, messages, timeline, view }} />
        </div>
      )}
    </div>
  );
}
