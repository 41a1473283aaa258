import { useMemo, useRef } from "preact/hooks";
import { type ChatMessage, Conversation } from "turnfold";
import { anthropic } from "turnfold/formats/anthropic";
import { Check } from "../../controls/check.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { formatted, percent } from "../../page/numbers.ts";
import { editTokens, state } from "../../states/store.ts";
import { amountsOf } from "../../tokens/settings.ts";
import { byteLength, type Comparable, differenceOf, type Shared, sharedWith } from "../../tokens/shared.ts";
import type { Frame, RenderedMessage } from "../../turns/render.ts";
import { showText } from "../turns/messages.tsx";
import { sectionNames } from "../turns/section-names.ts";
import { AmountFields } from "./amounts.tsx";
import { differenceRanges, useTint } from "./tint.ts";

/** The previous request, and the part that this request shares with it. */
interface Comparison {
  readonly before: readonly Comparable[];
  readonly shared: Shared;
}

function comparisonOf({ requestHistory, messages }: Frame): Comparison | null {
  if (requestHistory === null || requestHistory.turns.length === 0) return null;
  using requests = requestHistory.open(true);
  const before = requests.after(requestHistory.turns.length - 1).messages;
  return { before, shared: sharedWith(before, messages) };
}

/** How much of the request a provider may have cached, and where to mark it. */
export function CacheView({ frame }: { readonly frame: Frame }) {
  const section = useRef<HTMLDivElement>(null);
  const comparison = useMemo(() => comparisonOf(frame), [frame]);
  const { tint } = state.value.tokens;
  const frameElement = (): Element | null => section.current?.closest(".frame") ?? null;
  useTint(frameElement, tint ? (comparison?.shared ?? null) : null);
  const { cacheMinimum } = amountsOf(state.value.tokens);
  return (
    <div class="cache-view" ref={section}>
      <div class="cache-settings">
        <AmountFields names={["cacheMinimum"]} />
        <Check
          label="Tint the shared part"
          isChecked={tint}
          onChange={(isChecked) => editTokens({ tint: isChecked })}
          title="The part shared with the previous request is tinted in the messages below"
        />
      </div>
      {comparison === null ? (
        <p class="view-note">There is no previous request: nothing can be cached yet.</p>
      ) : (
        <SharedPart frame={frame} comparison={comparison} minimum={cacheMinimum} frameElement={frameElement} />
      )}
      <Breakpoints frame={frame} shared={comparison?.shared ?? null} minimum={cacheMinimum} />
    </div>
  );
}

interface SharedPartProps {
  readonly frame: Frame;
  readonly comparison: Comparison;
  readonly minimum: number;
  readonly frameElement: () => Element | null;
}

function SharedPart({ frame, comparison, minimum, frameElement }: SharedPartProps) {
  const { messages, tokens, counter } = frame;
  const { before, shared } = comparison;
  const difference = differenceOf(before, messages, shared);
  const reusable = tokensBefore(frame, shared.messages, shared.units);
  const bytes = messages.reduce((sum, { content }) => sum + byteLength(content), 0);
  const role = messages[shared.messages]?.role ?? "";
  const kind = kindAt(messages[shared.messages], shared.units);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>reusable tokens, by {counter.name}</dt>
          <dd>
            {formatted(reusable)} of {formatted(tokens)} ({percent(reusable, tokens)})
          </dd>
        </div>
        <div>
          <dt>shared bytes</dt>
          <dd>
            {formatted(difference.bytes)} of {formatted(bytes)}
          </dd>
        </div>
        {shared.behind === "changes" && (
          <div>
            <dt>first differing byte</dt>
            <dd>
              {formatted(difference.byte)} of message {difference.message + 1}, {role}
            </dd>
          </div>
        )}
      </dl>
      <p class="view-note">
        {shared.behind === "changes" ? (
          <>
            {before[shared.messages]?.role === role ? (
              <>
                It is in line {difference.line}, column {difference.column}
                {kind === null ? "" : ` (${kind})`}: {excerpt(before[shared.messages]?.content ?? "", shared.units)}{" "}
                became {excerpt(messages[shared.messages]?.content ?? "", shared.units)}
              </>
            ) : (
              `The previous request has a message with another role there: ${before[shared.messages]?.role}.`
            )}{" "}
            <button type="button" class="link" onClick={() => void show(frameElement(), frame, shared)}>
              Show it
            </button>
          </>
        ) : (
          endings[shared.behind]
        )}
      </p>
      <p class="view-note">
        {reusable < minimum
          ? `That is below the minimum of ${formatted(minimum)} tokens: a provider does not cache it.`
          : `That is at least the minimum of ${formatted(minimum)} tokens: OpenAI caches it automatically, in steps of 128; Anthropic caches it up to a breakpoint.`}
      </p>
    </>
  );
}

const endings: Readonly<Record<Exclude<Shared["behind"], "changes">, string>> = {
  nothing: "The previous request has exactly the same messages.",
  continues: "Nothing differs: this request contains all messages of the previous one, and new ones follow.",
  "ends earlier": "Nothing differs up to the end of this request; the previous one has more messages.",
};

const EXCERPT = 16;

/** The text at a position, as code. */
function excerpt(text: string, offset: number) {
  const rest = [...text.slice(offset, offset + 4 * EXCERPT)];
  if (rest.length === 0) return "its end";
  const start = rest.slice(0, EXCERPT).join("");
  return (
    <code class="excerpt">
      {JSON.stringify(start.trimEnd() || start).slice(1, -1)}
      {rest.length > EXCERPT && "…"}
    </code>
  );
}

function tokensBefore({ messages, counter }: Frame, index: number, offset: number): number {
  const whole = messages.slice(0, index).reduce((sum, { tokens }) => sum + tokens, 0);
  const message = messages[index];
  if (message === undefined || offset === 0) return whole;
  return whole + (offset === message.content.length ? message.tokens : counter.count(message.content.slice(0, offset)));
}

function kindAt(message: RenderedMessage | undefined, offset: number): string | null {
  let end = 0;
  for (const { kind, text } of message?.sections ?? []) {
    end += text.length;
    if (offset < end) return kind === "separator" ? null : sectionNames[kind];
  }
  return null;
}

/** Scrolls to the first difference, and opens its message. */
async function show(element: Element | null, frame: Frame, shared: Shared): Promise<void> {
  if (element === null) return;
  await showText(frame, shared.messages, shared.units);
  const last = differenceRanges(element, shared).at(-1);
  const pane = element.closest(".pane");
  if (last === undefined || pane === null) return;
  const range = document.createRange();
  range.setStart(last.startContainer, last.startOffset);
  range.setEnd(last.endContainer, last.endOffset);
  const view = pane.getBoundingClientRect();
  pane.scrollBy({ top: range.getBoundingClientRect().top - view.top - view.height / 2, behavior: "instant" });
}

type Breakpoint = Frame["breakpoints"][number];

interface BreakpointsProps {
  readonly frame: Frame;
  readonly shared: Shared | null;
  readonly minimum: number;
}

/** The positions for Anthropic's cache marks. */
function Breakpoints({ frame, shared, minimum }: BreakpointsProps) {
  const { messages } = frame;
  const breakpoints = frame.breakpoints.map((place) => ({
    ...place,
    tokens: tokensBefore(frame, place.message, place.offset),
  }));
  const useful = breakpoints.filter(({ tokens }) => tokens >= minimum);
  const copied = (): unknown =>
    anthropic.to(
      new Conversation({ messages: messages.map(({ role, content }) => ({ role, content }) as ChatMessage) }),
      { cache: { at: useful } },
    );
  return (
    <section class="breakpoints" aria-labelledby="breakpoints-title">
      <h2 id="breakpoints-title">
        Breakpoints of the request <code>cache_control</code>
      </h2>
      <ol>
        {breakpoints.map((place) => (
          <li key={`${place.message} ${place.offset}`} data-useless={place.tokens < minimum || undefined}>
            <span>
              {placeOf(place, messages)}: <strong>{formatted(place.tokens)} tokens</strong>
              {place.tokens < minimum && `, below the minimum of ${formatted(minimum)}`}
            </span>
            <span class="field-hint">{reasonOf(place, messages, shared)}</span>
          </li>
        ))}
      </ol>
      {breakpoints.length === 0 && <p class="view-note">None: no request repeats a part of this one.</p>}
      {useful.length > 0 && (
        <CopyButton
          text={() => JSON.stringify(copied(), null, 2)}
          label="Copy as Anthropic’s system and messages, with the marks"
          caption="Copy as Anthropic’s system and messages, with the marks"
        />
      )}
    </section>
  );
}

function reasonOf({ message, offset }: Breakpoint, messages: Frame["messages"], shared: Shared | null): string {
  if (messages[message]?.role === "system") return "the same in every run of this agent";
  if (shared === null) return "the same from turn to turn";
  const isShared = message < shared.messages || (message === shared.messages && offset <= shared.units);
  return isShared ? "shared with the previous request" : "the next request continues from here";
}

function placeOf({ message, offset }: Breakpoint, messages: Frame["messages"]): string {
  const { role, content } = messages[message] as RenderedMessage;
  const where = `message ${message + 1}, ${role}`;
  if (offset >= content.length) return `At the end of ${where}`;
  const kind = kindAt(messages[message], offset - 1);
  return `In ${where}${kind === null ? "" : `, after ${kind}`}, at byte ${formatted(byteLength(content.slice(0, offset)))}`;
}
