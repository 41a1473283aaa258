import { useMemo } from "preact/hooks";
import { estimate } from "turnfold";
import { Announcer } from "../../controls/announcer.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { counted } from "../../counted.ts";
import { memo } from "../../memo.ts";
import { type RequestMessage, request, shape } from "../../programs/program.ts";
import { programs } from "../../programs/store.ts";
import { Counts } from "../../tokens/counts.ts";

const counts = new Counts();

/** The tokens of texts. The counts of the last call are reused. */
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
          {messages.length === 0 ? "No messages yet:" : "These are the last good messages:"} correct the marked fields.
        </p>
      )}
      <ol class="messages" aria-label="Messages" data-stale={isStale || undefined}>
        {messages.map(({ role, content, origin }, index) => (
          <MessageCard
            key={index}
            role={role}
            content={content}
            origin={origin}
            tokens={tokens[index] ?? 0}
            number={index + 1}
          />
        ))}
      </ol>
      <Announcer text={shape.value === null || isStale ? "" : text} />
    </section>
  );
}

interface MessageCardProps extends RequestMessage {
  readonly tokens: number;
  readonly number: number;
}

export const MessageCard = memo(({ role, content, origin, tokens, number }: MessageCardProps) => (
  <li class="message" data-role={role} data-origin={origin.replace(/ \d+$/, "")}>
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
