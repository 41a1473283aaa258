import type { ChatMessage, Fate, HistoryProblem } from "turnfold";
import { clearSearch, filter, filters, firstWord, listed, resultIndexes, search } from "../../chat/find.ts";
import { counts, groupOf, planned, readNow, source, torn } from "../../chat/plan.ts";
import { withPin } from "../../chat/reading.ts";
import { chat, editChat } from "../../chat/store.ts";
import { fateNames, reasonText } from "../../chat/words.ts";
import { IconButton } from "../../controls/button.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { type RowProps, VirtualList } from "../../controls/virtual-list.tsx";
import { counted, formatted } from "../../page/numbers.ts";
import { memo } from "../../page/reuse.ts";
import { showProblem } from "../../states/store.ts";
import { goToInput, goToResult, indexOfMessage, messageId } from "./jump.ts";
import { MessageBody } from "./message-body.tsx";
import { ChatView } from "./view.tsx";

/** The messages of the conversation with their fates. */
export function MessageList() {
  const { conversation, isStale } = source.value;
  if (conversation === null) return null;
  const { plan } = planned.value;
  const { messages } = conversation;
  return (
    <>
      <h2 class="pane-title">
        Messages <span class="count">{formatted(messages.length)}</span>
      </h2>
      {messages.length > 0 && <Search total={messages.length} />}
      {messages.length > 0 && <ChatView messages={messages} />}
      {isStale && <p class="chat-stale">These are the last messages that could be read.</p>}
      <VirtualList
        name="chat-messages"
        items={listed.value}
        keyOf={(index) => index}
        rowHeight={CHAT_ROW}
        gap={CHAT_GAP}
        class="chat-messages"
        label="Messages"
        isStale={isStale}
        indexOf={(id) => listed.value.indexOf(indexOfMessage(id))}
      >
        {(index, _, row) => {
          const fate = plan?.messages[index];
          return (
            <MessageCard
              key={index}
              row={row}
              message={messages[index] as ChatMessage}
              index={index}
              tokens={counts.value.each[index] ?? 0}
              fate={fate?.fate ?? null}
              reason={fate === undefined || fate.reason === chat.value.strategy ? "" : reasonText(fate)}
              group={groupOf.value.get(index)?.number ?? null}
              problems={torn.value.get(index) ?? NONE}
              resultIndex={resultIndexes.value.of.get(index) ?? null}
              find={firstWord.value}
            />
          );
        }}
      </VirtualList>
    </>
  );
}

/** The approximate height of a message in pixels. `CHAT_GAP` must equal the gap in chat.css. */
export const CHAT_ROW = 72;
export const CHAT_GAP = 6;

/** The controls that filter the messages by words and by fate. */
function Search({ total }: { readonly total: number }) {
  const shown = listed.value.length;
  const isAll = search.value.trim() === "" && filter.value === null;
  return (
    <search class="chat-search">
      <label class="visually-hidden" for="chat-search">
        Search the messages
      </label>
      <input
        id="chat-search"
        class="input"
        type="search"
        placeholder="Search text, role or fate"
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value;
        }}
      />
      <fieldset class="chat-filters">
        <legend class="visually-hidden">Show only messages that are</legend>
        {filters.value.map(([name, count]) => (
          <button
            key={name}
            type="button"
            class="chat-filter"
            data-fate={name === "problem" ? "dropped" : name}
            aria-pressed={filter.value === name}
            onClick={() => {
              filter.value = filter.value === name ? null : name;
            }}
          >
            {name === "problem" ? "with a problem" : fateNames[name]} <strong>{formatted(count)}</strong>
          </button>
        ))}
      </fieldset>
      <p class="chat-found" role="status">
        {!isAll && (
          <>
            {formatted(shown)} of {counted(total, "message")}{" "}
            <button type="button" class="link" onClick={clearSearch}>
              Show all
            </button>
          </>
        )}
      </p>
    </search>
  );
}

const NONE: readonly HistoryProblem[] = [];

interface MessageCardProps {
  readonly row: RowProps;
  readonly message: ChatMessage;
  readonly index: number;
  readonly tokens: number;
  /** The fate of the message; null without a plan. */
  readonly fate: Fate["fate"] | null;
  readonly reason: string;
  /** The number of its group; null without one. */
  readonly group: number | null;
  readonly problems: readonly HistoryProblem[];
  /** The index of the message or its summary in the result; null without one. */
  readonly resultIndex: number | null;
  /** A word of the search, in lower case, that must be visible; empty for none. */
  readonly find: string;
}

const MessageCard = memo((props: MessageCardProps) => {
  const { row, message, index, tokens: size, fate, reason, group, problems, resultIndex, find } = props;
  const number = formatted(index + 1);
  return (
    <li
      {...row}
      class="chat-message"
      id={messageId(index)}
      tabIndex={-1}
      data-role={message.role}
      data-fate={fate ?? undefined}
      data-group={group === null ? undefined : ((group - 1) % 6) + 1}
      data-torn={problems.length > 0 || undefined}
    >
      <MessageBody message={message} number={index + 1} tokens={size} find={find}>
        {fate !== null && <FateBadge fate={fate} reason={reason} group={group} />}
        <IconButton icon="source" label={`Show message ${number} in the JSON`} onClick={() => goToInput(index)} />
        {resultIndex !== null && (
          <IconButton icon="next" label={`Show message ${number} in the result`} onClick={() => goToResult(index)} />
        )}
        <Pin message={message} index={index} />
      </MessageBody>
      <FirstRows items={problems} what="problems" as="p">
        {(problem) => (
          <p key={problem.message} class="chat-problem">
            <Icon name="alert" />
            <span>{sentence(problem)}</span>
          </p>
        )}
      </FirstRows>
    </li>
  );
});

/** The text of a problem without the index: the package counts from 0 and the page from 1, and the text is at the message. */
const sentence = ({ message }: HistoryProblem): string => `It ${message.replace(/^message \d+ /, "")}.`;

const FateBadge = ({ fate, reason, group }: Pick<MessageCardProps, "reason" | "group"> & { fate: Fate["fate"] }) => (
  <span class="fate">
    {fateNames[fate]}
    {group !== null && ` → ${formatted(group)}`}
    {reason !== "" && ` · ${reason}`}
  </span>
);

function Pin({ message, index }: { readonly message: ChatMessage; readonly index: number }) {
  if (message.role === "system") return null;
  const isPinned = message.pinned === true;
  return (
    <IconButton
      icon="pin"
      label={`Pin message ${formatted(index + 1)}`}
      pressed={isPinned}
      onClick={() => togglePin(index, !isPinned)}
    />
  );
}

function togglePin(index: number, isPinned: boolean): void {
  readNow();
  const { conversation, isStale } = source.value;
  const text = conversation === null || isStale ? null : withPin(chat.value.messages, conversation, index, isPinned);
  if (text !== null) {
    editChat({ messages: text });
    return;
  }
  const why = isStale ? "the text of the messages can’t be read" : "no single element of the text corresponds to it";
  showProblem(`Message ${formatted(index + 1)} can’t be pinned: ${why}.`);
}
