import type { ChatMessage, Fate, HistoryProblem } from "turnfold";
import { counts, groupOf, planned, readNow, source, torn } from "../../chat/plan.ts";
import { withPin } from "../../chat/reading.ts";
import { chat, editChat } from "../../chat/store.ts";
import { fateNames, reasonText } from "../../chat/words.ts";
import { IconButton } from "../../controls/button.tsx";
import { Icon } from "../../controls/icon.tsx";
import { type RowProps, VirtualList } from "../../controls/virtual-list.tsx";
import { memo } from "../../memo.ts";
import { notice } from "../../store.ts";
import { MessageBody } from "./message-body.tsx";

/** The messages of the conversation with their fates. */
export function MessageList() {
  const { conversation, isStale } = source.value;
  if (conversation === null) return null;
  const { plan } = planned.value;
  return (
    <>
      <h2 class="pane-title">
        Messages <span class="count">{conversation.messages.length.toLocaleString("en")}</span>
      </h2>
      {isStale && <p class="chat-stale">These are the last messages that could be read.</p>}
      <VirtualList
        name="chat-messages"
        items={conversation.messages}
        rowHeight={CHAT_ROW}
        gap={CHAT_GAP}
        class="chat-messages"
        label="Messages"
        isStale={isStale}
        indexOf={(id) => Number(/^chat-message-(\d+)$/.exec(id)?.[1] ?? 0) - 1}
      >
        {(message, index, row) => {
          const fate = plan?.messages[index];
          return (
            <MessageCard
              key={index}
              row={row}
              message={message}
              index={index}
              tokens={counts.value.each[index] ?? 0}
              fate={fate?.fate ?? null}
              reason={fate === undefined ? "" : reasonText(fate)}
              group={groupOf.value.get(index)?.number ?? null}
              problems={torn.value.get(index) ?? NONE}
            />
          );
        }}
      </VirtualList>
    </>
  );
}

/** About the height of a message, and the pixels between two, as chat.css has them. */
export const CHAT_ROW = 72;
export const CHAT_GAP = 6;

const NONE: readonly HistoryProblem[] = [];

interface MessageCardProps {
  readonly row: RowProps;
  readonly message: ChatMessage;
  readonly index: number;
  readonly tokens: number;
  /** Null while there is no plan. */
  readonly fate: Fate["fate"] | null;
  readonly reason: string;
  /** The number of its group; null without one. */
  readonly group: number | null;
  readonly problems: readonly HistoryProblem[];
}

const MessageCard = memo(({ row, message, index, tokens: size, fate, reason, group, problems }: MessageCardProps) => (
  <li
    {...row}
    class="chat-message"
    id={`chat-message-${index + 1}`}
    data-role={message.role}
    data-fate={fate ?? undefined}
    data-group={group === null ? undefined : ((group - 1) % 6) + 1}
    data-torn={problems.length > 0 || undefined}
  >
    <MessageBody message={message} number={index + 1} tokens={size}>
      {fate !== null && <FateBadge fate={fate} reason={reason} group={group} />}
      <Pin message={message} index={index} />
    </MessageBody>
    {problems.map((problem) => (
      <p key={problem.message} class="chat-problem">
        <Icon name="alert" />
        <span>{sentence(problem)}</span>
      </p>
    ))}
  </li>
));

/** Removes the index: the package counts from 0 and the page from 1, and the text is shown at its message. */
const sentence = ({ message }: HistoryProblem): string => `It ${message.replace(/^message \d+ /, "")}.`;

const FateBadge = ({ fate, reason, group }: Pick<MessageCardProps, "reason" | "group"> & { fate: Fate["fate"] }) => (
  <span class="fate">
    {fateNames[fate]}
    {group !== null && ` → ${group}`}
    {reason !== "" && ` · ${reason}`}
  </span>
);

function Pin({ message, index }: { readonly message: ChatMessage; readonly index: number }) {
  if (message.role === "system") return null;
  const isPinned = message.pinned === true;
  return (
    <IconButton
      icon="pin"
      label={`Pin message ${index + 1}`}
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
  const why = isStale ? "the text of the messages can’t be read" : "it has no place of its own in the text";
  notice.value = { tone: "problem", text: `Message ${index + 1} can’t be pinned: ${why}.`, undo: null };
}
