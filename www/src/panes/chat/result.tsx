import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import {
  type ChatMessage,
  type Conversation,
  countMessages,
  type HistoryReport,
  type Managed,
  TurnfoldError,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { gemini } from "turnfold/formats/gemini";
import { openai } from "turnfold/formats/openai";
import { resultIndexes } from "../../chat/find.ts";
import { planned, source } from "../../chat/plan.ts";
import { changeChat, chat } from "../../chat/store.ts";
import { result, sizes } from "../../chat/summaries.ts";
import { reportSentence } from "../../chat/words.ts";
import { IconButton } from "../../controls/button.tsx";
import { Check } from "../../controls/check.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Deferred } from "../../controls/deferred.tsx";
import { Icon } from "../../controls/icon.tsx";
import { type RowProps, VirtualList } from "../../controls/virtual-list.tsx";
import { focusSoon } from "../../page/focus.ts";
import { counted, formatted } from "../../page/numbers.ts";
import { problemOf, problemText } from "../../page/problem.ts";
import { NotNow } from "../../share/not-now.ts";
import { goToMessage, INPUT, indexOfResult, resultId } from "./jump.ts";
import { CHAT_GAP, CHAT_ROW } from "./list.tsx";
import { MessageBody } from "./message-body.tsx";
import { Warnings } from "./plan.tsx";
import { ChatView } from "./view.tsx";

/** The resulting conversation. */
export function ResultView() {
  const { managed, problem, waits } = result.value;
  if (planned.value.plan === null) return null;
  return (
    <section class="chat-result" aria-labelledby="result-title">
      <h2 class="pane-title" id="result-title">
        Result
        {managed !== null && <span class="count">{counted(managed.conversation.messages.length, "message")}</span>}
      </h2>
      <div role="status">
        {waits !== null && <p class="empty">{waits}</p>}
        {problem !== null && <p class="field-problem">{problemText(problem)}</p>}
        {managed !== null && <p class="plan-sentence">{reportSentence(managed.report)}</p>}
      </div>
      {managed !== null && isStandIn() && (
        <p class="field-hint">The summaries are the scripted text: those of a model are longer.</p>
      )}
      {managed !== null && <ResultBox managed={managed} />}
    </section>
  );
}

/** Whether the summaries in the result are placeholders for those of a model. */
const isStandIn = (): boolean => sizes.value?.isRough === true;

function ResultBox({ managed }: { readonly managed: Managed }) {
  const { conversation, report } = managed;
  const now = compared.value;
  const input = now === null ? null : source.value.conversation;
  return (
    <>
      <Warnings list={report.warnings} />
      <Actions conversation={conversation} report={report} />
      <ChatView messages={input === null ? conversation.messages : null}>
        <CompareCheck label="Compare with the input, line by line" what="input" />
        <CompareCheck label="Compare two requests" what="requests" />
      </ChatView>
      {input === null ? (
        <ResultMessages conversation={conversation} />
      ) : now === "requests" ? (
        <Deferred key="requests" load={loadRequests} props={{ conversation: input }} what="The comparison" />
      ) : (
        <Deferred
          key="input"
          load={loadComparison}
          props={{ before: input, after: conversation, from: resultIndexes.value.from }}
          what="The comparison"
        />
      )}
    </>
  );
}

/** The comparison that is shown in place of the result. Not part of the state. */
const compared = signal<"input" | "requests" | null>(null);

interface CompareCheckProps {
  readonly label: string;
  readonly what: "input" | "requests";
}

const CompareCheck = ({ label, what }: CompareCheckProps) => (
  <Check
    label={label}
    isChecked={compared.value === what}
    onChange={(isChecked) => {
      compared.value = isChecked ? what : null;
    }}
  />
);

const loadRequests = async () => (await import("./comparison.tsx")).RequestComparison;

/** Loaded on demand, with the library that finds differences. */
const loadComparison = async () => (await import("./comparison.tsx")).ResultComparison;

const formats = [
  { label: "OpenAI", write: (conversation: Conversation): unknown => openai.to(conversation) },
  { label: "Responses", write: (conversation: Conversation): unknown => openai.responses.to(conversation) },
  { label: "Anthropic", write: (conversation: Conversation): unknown => anthropic.to(conversation) },
  { label: "Gemini", write: (conversation: Conversation): unknown => gemini.to(conversation) },
  { label: "AI SDK", write: (conversation: Conversation): unknown => aiSdk.to(conversation) },
  { label: "Turnfold", write: (conversation: Conversation): unknown => conversation.toJSON() },
] as const;

const textOf = (json: unknown): string => JSON.stringify(json, null, 2);

function Actions({ conversation, report }: { readonly conversation: Conversation; readonly report: HistoryReport }) {
  const written = (label: string, write: (conversation: Conversation) => unknown) => (): string => {
    try {
      return textOf(write(conversation));
    } catch (error) {
      throw TurnfoldError.isInstance(error) ? new NotNow(`Not as ${label}: ${problemText(problemOf(error))}`) : error;
    }
  };
  return (
    <div class="result-copies">
      <span class="field-hint">Copy as</span>
      {formats.map(({ label, write }) => (
        <CopyButton key={label} text={written(label, write)} label={`Copy the result as ${label}`} caption={label} />
      ))}
      <CopyButton text={() => textOf(report)} label="Copy the report" caption="Report" />
      {conversation !== source.value.conversation && (
        <button type="button" class="button" onClick={() => useAsInput(conversation)}>
          <Icon name="up" />
          Use as input
        </button>
      )}
    </div>
  );
}

function useAsInput(conversation: Conversation): void {
  changeChat(
    { messages: textOf(conversation.toJSON()), shape: "detect", summaries: [] },
    "The result is now the input, as a saved Conversation, which marks the summaries.",
  );
  focusSoon(INPUT);
}

function ResultMessages({ conversation }: { readonly conversation: Conversation }) {
  const { provider } = chat.value;
  const sizes = useMemo(() => countMessages(conversation.messages, { provider }).messages, [conversation, provider]);
  const { from } = resultIndexes.value;
  return (
    <VirtualList
      name="result-messages"
      items={conversation.messages}
      rowHeight={CHAT_ROW}
      gap={CHAT_GAP}
      class="chat-messages"
      label="Messages of the result"
      indexOf={indexOfResult}
    >
      {(message, index, row) => (
        <ResultCard
          key={index}
          row={row}
          message={message}
          index={index}
          from={from[index] ?? null}
          tokens={sizes[index] ?? 0}
        />
      )}
    </VirtualList>
  );
}

interface ResultCardProps {
  readonly row: RowProps;
  readonly message: ChatMessage;
  readonly index: number;
  /** The index of the original message; null for a summary. */
  readonly from: number | null;
  readonly tokens: number;
}

function ResultCard({ row, message, index, from, tokens }: ResultCardProps) {
  const isCleared = from !== null && source.value.conversation?.messages[from] !== message;
  return (
    <li
      {...row}
      class="chat-message"
      id={resultId(index)}
      tabIndex={-1}
      data-role={message.role}
      data-fate={from === null ? "inserted" : isCleared ? "stubbed" : undefined}
    >
      <MessageBody message={message} number={index + 1} tokens={tokens}>
        {from === null && <span class="fate">inserted · for {counted(message.summary?.covers ?? 0, "message")}</span>}
        {isCleared && <span class="fate">cleared</span>}
        {from !== null && from !== index && <span class="chat-fact">was {formatted(from + 1)}</span>}
        {from !== null && (
          <IconButton
            icon="previous"
            label={`Back to message ${formatted(from + 1)} of the input`}
            onClick={() => goToMessage(from)}
          />
        )}
      </MessageBody>
    </li>
  );
}
