import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ChatMessage, Conversation } from "turnfold";
import { countMessages, estimate } from "turnfold/chat";
import { historyStrategies } from "../../chat/options.ts";
import { headOf, piecesOf } from "../../chat/parts.ts";
import { answersOf, type RequestChoice, requestOf } from "../../chat/requests-of.ts";
import { chat } from "../../chat/store.ts";
import { counted, formatted } from "../../page/numbers.ts";
import { memo } from "../../page/reuse.ts";
import { loads } from "../../states/store.ts";
import { cacheBreak } from "../../tokens/cache-break.ts";
import { type Compared, differencesFrom, differencesOf } from "../../turns/differences.ts";
import { DifferencesView } from "../comparison.tsx";

interface ResultComparisonProps {
  readonly before: Conversation;
  readonly after: Conversation;
  /** For each message of `after`, the index of its origin in `before`; null for a new message. */
  readonly from: readonly (number | null)[];
}

/** The result compared with the input, line by line. */
export const ResultComparison = memo(({ before, after, from }: ResultComparisonProps) => {
  const differences = useMemo(() => {
    const old = before.messages.map((message, index) => comparedOf(message, formatted(index + 1)));
    const now = after.messages.map((message, resultIndex) => {
      const index = from[resultIndex] ?? null;
      if (index === null) return comparedOf(message, "new");
      return before.messages[index] === message ? (old[index] as Compared) : comparedOf(message, formatted(index + 1));
    });
    return differencesFrom(old, now, from);
  }, [before, after, from]);
  return (
    <section class="diff" aria-label="Comparison">
      <DifferencesView differences={differences}>
        Against <strong>the input</strong>
      </DifferencesView>
    </section>
  );
});

interface RequestComparisonProps {
  readonly conversation: Conversation;
}

/** The two requests that are compared; null for the last two. */
const pair = signal<readonly [RequestChoice, RequestChoice] | null>(null);

/** Any two requests of the chat, line by line. */
export function RequestComparison({ conversation }: RequestComparisonProps) {
  const count = answersOf(conversation).length + 1;
  const { strategy } = chat.value;
  // Another chat begins anew.
  useEffect(() => {
    pair.value = null;
  }, [loads.value]);
  const [first, second] = pair.value ?? [
    { number: Math.max(1, count - 1), strategy },
    { number: count, strategy },
  ];
  const within = (choice: RequestChoice): RequestChoice => ({ ...choice, number: Math.min(choice.number, count) });
  const [before, after] = [requestOf(within(first)), requestOf(within(second))];
  return (
    <section class="diff" aria-label="Comparison">
      <div class="diff-pair">
        <RequestFields
          which="First"
          choice={within(first)}
          count={count}
          onChange={(choice) => {
            pair.value = [choice, second];
          }}
        />
        <RequestFields
          which="Second"
          choice={within(second)}
          count={count}
          onChange={(choice) => {
            pair.value = [first, choice];
          }}
        />
      </div>
      {typeof before === "string" ? (
        <p class="empty">{before}</p>
      ) : typeof after === "string" ? (
        <p class="empty">{after}</p>
      ) : (
        <RequestDifferences before={before} after={after} />
      )}
    </section>
  );
}

interface RequestFieldsProps {
  readonly which: "First" | "Second";
  readonly choice: RequestChoice;
  readonly count: number;
  onChange(choice: RequestChoice): void;
}

const RequestFields = ({ which, choice, count, onChange }: RequestFieldsProps) => (
  <span>
    {which === "First" ? "Request" : "and request"}{" "}
    <input
      class="input"
      type="number"
      aria-label={`${which} request`}
      min={1}
      max={count}
      value={choice.number}
      onInput={({ currentTarget: { valueAsNumber } }) => {
        if (valueAsNumber >= 1 && valueAsNumber <= count) onChange({ ...choice, number: valueAsNumber });
      }}
    />{" "}
    of {formatted(count)} with{" "}
    <select
      class="input"
      aria-label={`Strategy of the ${which.toLowerCase()} request`}
      value={choice.strategy}
      onChange={({ currentTarget: { value } }) => {
        const picked = historyStrategies.find(({ name }) => name === value);
        if (picked !== undefined) onChange({ ...choice, strategy: picked.name });
      }}
    >
      {historyStrategies.map(({ name, label }) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  </span>
);

interface RequestDifferencesProps {
  readonly before: readonly ChatMessage[];
  readonly after: readonly ChatMessage[];
}

function RequestDifferences({ before, after }: RequestDifferencesProps) {
  const { provider } = chat.value;
  const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
  const { differences, cached, tokens } = useMemo(() => {
    const [first, second] = [before, after].map((messages) => messages.map((each) => comparedOf(each))) as [
      Compared[],
      Compared[],
    ];
    const [there, here] = [before, after].map((messages) => countMessages([...messages], { provider }).messages) as [
      number[],
      number[],
    ];
    return {
      differences: differencesOf(first, second),
      cached: cacheBreak(first, second, here, (text) => estimate.count(text)),
      tokens: there.reduce((sum, size) => sum + size, 0),
    };
  }, [old, now, provider]);
  return (
    <DifferencesView differences={differences} cached={cached}>
      <strong>{counted(before.length, "message")}</strong>, {counted(tokens, "token")} there,{" "}
      <strong>{counted(after.length, "message")}</strong>, {counted(cached.total, "token")} here
    </DifferencesView>
  );
}

const comparedOf = (message: ChatMessage, name?: string): Compared => ({
  role: name === undefined ? message.role : `${message.role} · ${name}`,
  content: piecesOf(message)
    .map((piece) => ("id" in piece ? `${headOf(piece)} ${piece.text}` : piece.text))
    .join("\n"),
  sections: [],
});
