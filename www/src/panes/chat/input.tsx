import { useMemo } from "preact/hooks";
import { shapes } from "../../chat/options.ts";
import { counts, reading, source, torn } from "../../chat/plan.ts";
import { changeChat, chat, chatExamples, editChat } from "../../chat/store.ts";
import { Choices } from "../../controls/choices.tsx";
import { CodeField } from "../../controls/code-field.tsx";
import { StartFrom } from "../../controls/start-from.tsx";
import { counted } from "../../counted.ts";

/** The input of messages: an example, or pasted text. */
export function Input() {
  const { messages, shape } = chat.value;
  const { problem } = reading.value;
  const problems = useMemo(() => (problem === null ? [] : [problem]), [problem]);
  return (
    <section class="chat-input" aria-label="Input">
      <StartFrom
        examples={chatExamples}
        isOpen={(example) => messages === example.chat.messages}
        open={(example) => changeChat(example.chat, `Opened “${example.title}”: ${example.summary}.`)}
      />
      <CodeField
        id="chat-messages"
        label="Messages as JSON"
        fullLabel="Messages as JSON"
        language="json"
        placeholder='[{"role": "user", "content": "Hello"}]'
        value={messages}
        problems={problems}
        onInput={(text) => editChat({ messages: text })}
      />
      <Choices
        name="chat-shape"
        legend="Shape of the messages"
        options={shapes}
        value={shape}
        onChange={(name) => editChat({ shape: name })}
      />
      <p class="chat-shape" role="status">
        {shapeSentence()}
      </p>
    </section>
  );
}

function shapeSentence(): string {
  const { shape, problem } = reading.value;
  const { conversation, isStale } = source.value;
  if (problem !== null && shape === null) return "This is no JSON yet.";
  const name = shapes.find((entry) => entry.name === shape)?.label ?? "";
  const how = chat.value.shape === "detect" ? "Detected" : "Read as";
  if (isStale) return `${how}: ${name}, but a message can’t be read.`;
  if (conversation === null) return "Paste messages of OpenAI, Anthropic, the AI SDK, or of a Conversation.";
  const problems = [...torn.value.values()].flat().length;
  const wrong = problems === 0 ? "" : ` · ${counted(problems, "problem")}`;
  return `${how}: ${name} · ${counted(conversation.messages.length, "message")} · about ${counted(counts.value.total, "token")}${wrong}`;
}
