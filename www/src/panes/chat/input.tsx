import { useMemo } from "preact/hooks";
import { shapes } from "../../chat/options.ts";
import { counts, isWaiting, reading, readNow, source, text, torn, typeMessages } from "../../chat/plan.ts";
import { changeChat, chat, chatExamples, editChat } from "../../chat/store.ts";
import { preparing } from "../../chat/summaries.ts";
import { Choices } from "../../controls/choices.tsx";
import { CodeField } from "../../controls/code-field.tsx";
import { StartFrom } from "../../controls/start-from.tsx";
import { foreignChat, whyUnread } from "../../import/read.ts";
import { counted } from "../../page/numbers.ts";
import { goFromInput, INPUT, keepEditor } from "./jump.ts";

/** The input of messages: an example, or pasted text. */
export function Input() {
  const { messages, shape } = chat.value;
  const { problem } = reading.value;
  const problems = useMemo(() => (problem === null ? [] : [problem]), [problem]);
  // A text in another format, or one that can't be read: the page says which.
  const isUnread = problem !== null && shape === "detect";
  const read = isUnread ? text.value : "";
  const foreign = useMemo(() => (isUnread ? foreignChat(read) : null), [isUnread, read]);
  const why = useMemo(() => (isUnread ? whyUnread(read) : null), [isUnread, read]);
  return (
    <section class="chat-input" aria-label="Input">
      <StartFrom
        examples={chatExamples}
        isOpen={(example) => messages === example.chat.messages}
        open={(example) => changeChat(example.chat, `Opened “${example.title}”: ${example.summary}.`)}
      />
      <CodeField
        id={INPUT}
        label="Messages as JSON"
        fullLabel="Messages as JSON"
        language="json"
        placeholder='[{"role": "user", "content": "Hello"}]'
        value={messages}
        problems={problems}
        onInput={(next) => {
          const isPasted = Math.abs(next.length - messages.length) > 1;
          typeMessages(next, preparing);
          if (isPasted) convert();
        }}
        onEditor={keepEditor}
      />
      {source.value.conversation !== null && !source.value.isStale && (
        <div class="chat-editing">
          <button type="button" class="link" onClick={goFromInput}>
            Find the message at the cursor
          </button>
        </div>
      )}
      <Choices
        name="chat-shape"
        legend="Shape of the messages"
        options={shapes}
        value={shape}
        onChange={(name) => editChat({ shape: name })}
      />
      <p class="chat-shape" role="status">
        {foreign === null ? (why ?? shapeSentence()) : `This looks like ${foreign.format}. `}
        {foreign !== null && (
          <button type="button" class="link" onClick={convert}>
            Read it
          </button>
        )}
      </p>
    </section>
  );
}

/** Converts messages of another format to those of Turnfold. It can be undone. */
function convert(): void {
  readNow();
  const { messages, shape } = chat.value;
  if (reading.value.problem === null || shape !== "detect") return;
  const foreign = foreignChat(messages);
  if (foreign === null) return;
  const { count, ...read } = foreign.chat.read();
  changeChat(read, `Read as ${foreign.format}: ${counted(count, "message")}.`);
}

function shapeSentence(): string {
  if (isWaiting.value) return "Long texts are read after a pause in typing.";
  const { shape, problem } = reading.value;
  const { conversation, isStale } = source.value;
  if (problem !== null && shape === null) return "This is not JSON.";
  const name = shapes.find((entry) => entry.name === shape)?.label ?? "";
  const how = chat.value.shape === "detect" ? "Detected" : "Read as";
  if (isStale) return `${how}: ${name}, but a message can’t be read.`;
  if (conversation === null) return "Paste messages of OpenAI, Anthropic, the AI SDK, or of a Conversation.";
  const problems = [...torn.value.values()].flat().length;
  const wrong = problems === 0 ? "" : ` · ${counted(problems, "problem")}`;
  return `${how}: ${name} · ${counted(conversation.messages.length, "message")} · about ${counted(counts.value.total, "token")}${wrong}`;
}
