import { useMemo } from "preact/hooks";
import { estimate } from "turnfold/chat";
import { Announcer } from "../../controls/announcer.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Find } from "../../controls/find.tsx";
import { type RowProps, VirtualList } from "../../controls/virtual-list.tsx";
import { counted } from "../../page/numbers.ts";
import { memo } from "../../page/reuse.ts";
import { type RequestMessage, request, shape } from "../../programs/program.ts";
import { programs } from "../../programs/store.ts";
import { Counts } from "../../tokens/counts.ts";

const counts = new Counts();

/** The tokens of each text. Counts of the previous call are reused. */
function tokensOf(texts: readonly string[]): readonly number[] {
  counts.begin(estimate);
  return texts.map((text) => counts.of(text));
}

/** The messages that a call would send. */
export function Messages() {
  const { messages, isStale } = request.value;
  const tokens = useMemo(() => tokensOf(messages.map(({ content }) => content)), [messages]);
  const total = tokens.reduce((sum, count) => sum + count, 0);
  const text = `${counted(messages.length, "message")}, about ${counted(total, "token")}`;
  const isFirstStep = programs.value.kind === "react";
  return (
    <section class="program-messages" aria-labelledby="program-messages-title">
      <div class="program-head">
        <h2 class="pane-title" id="program-messages-title">
          Messages{isFirstStep && " of the first step"} <span class="count">{text}</span>
        </h2>
        <CopyButton
          text={() =>
            JSON.stringify(
              messages.map(({ role, content }) => ({ role, content })),
              null,
              2,
            )
          }
          label="Copy the messages as JSON"
        />
      </div>
      {isStale && (
        <p class="chat-stale">
          {messages.length === 0 ? "No messages yet:" : "These are the last valid messages:"} correct the marked fields.
        </p>
      )}
      <Find list={MESSAGES} label="Find a message" what="message" items={messages} textOf={textOfMessage} />
      <VirtualList
        name={MESSAGES}
        items={messages}
        rowHeight={80}
        gap={10}
        class="messages"
        label="Messages"
        isStale={isStale}
      >
        {({ role, content, origin }, index, row) => (
          <MessageCard
            key={index}
            row={row}
            role={role}
            content={content}
            origin={origin}
            tokens={tokens[index] ?? 0}
            number={index + 1}
          />
        )}
      </VirtualList>
      <Announcer text={shape.value === null || isStale ? "" : text} />
    </section>
  );
}

const MESSAGES = "program-messages";

const textOfMessage = ({ content }: RequestMessage): string => content.toLowerCase();

interface MessageCardProps extends RequestMessage {
  readonly row: RowProps;
  readonly tokens: number;
  readonly number: number;
}

export const MessageCard = memo(({ row, role, content, origin, tokens, number }: MessageCardProps) => (
  <li {...row} class="message" data-role={role} data-origin={origin.replace(/ \d+$/, "")}>
    <div class="message-head">
      <h3 class="program-message-head">
        <span class="message-role">{role}</span>
        <span class="origin">{origin}</span>
        <span class="message-tokens">{counted(tokens, "token")}</span>
      </h3>
      <CopyButton text={content} label={`Copy message ${number}, ${role}`} />
    </div>
    <div class="message-body">
      <div class="section-text">{content}</div>
    </div>
  </li>
));
