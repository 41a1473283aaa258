import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../../controls/button.tsx";
import { Modal } from "../../controls/modal.tsx";
import { endOpening, type Opening, openChat, openFile, opening, openText } from "../../import/open.ts";
import { counted } from "../../page/numbers.ts";
import { dialog } from "../../page/shortcuts.ts";

/** The dialog for pasted texts and files. It shows why a text could not be read, and the choice among several chats. */
export function OpenDialog() {
  useEffect(() => endOpening, []);
  const { name, problem, chats } = opening.value;
  const isChoice = chats.length > 0;
  return (
    <Modal label={isChoice ? "Choose a chat" : "Paste a chat or open a file"} class="opening">
      <div class="modal-head">
        <h2>{isChoice ? "Choose a chat" : "Paste a chat or open a file"}</h2>
        <IconButton
          icon="remove"
          label="Close"
          onClick={() => {
            dialog.value = null;
          }}
        />
      </div>
      {problem !== null && (
        <p role="alert" class="opening-problem">
          {name !== null && <strong>{name}: </strong>}
          {problem} Nothing has changed.
        </p>
      )}
      {isChoice ? <Choice {...opening.value} /> : <Paste />}
    </Modal>
  );
}

function Paste() {
  const text = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <textarea
        class="input code opening-text"
        aria-label="Paste here"
        placeholder="Paste here: Ctrl+V, or ⌘V on a Mac"
        rows={5}
        spellcheck={false}
        autofocus
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          if (text.value !== "" || pasted === "") return;
          // The text area would take seconds to lay out a long text.
          event.preventDefault();
          void openText(pasted);
        }}
      />
      <div class="opening-actions">
        <button type="button" class="button" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        {text.value.trim() !== "" && (
          <button type="button" class="button primary" onClick={() => void openText(text.value)}>
            Read this
          </button>
        )}
        <span class="field-hint">It stays in this browser: nothing is sent anywhere.</span>
        <input
          ref={input}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void openFile(file);
            // Allows choosing the same file again.
            currentTarget.value = "";
          }}
        />
      </div>
      <dl class="opening-sources">
        <dt>ChatGPT</dt>
        <dd>
          Settings, Data controls, Export data: <code>conversations.json</code>
        </dd>
        <dt>Claude Code</dt>
        <dd>
          a session in <code>~/.claude/projects</code>: a file <code>.jsonl</code>
        </dd>
        <dt>Your own program</dt>
        <dd>
          the messages of a request to OpenAI, Anthropic, Gemini, the AI SDK or LangChain, as JSON or one per line
        </dd>
        <dt>Agents</dt>
        <dd>trajectories in ATIF, steps that Turnfold saved, files that were downloaded here</dd>
      </dl>
    </>
  );
}

/** The most chats that are listed; the search finds the others. */
const MAX_SHOWN = 100;

const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

function Choice({ name, chats, format }: Opening) {
  const query = useSignal("");
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = chats.filter(({ title }) => words.every((word) => (title ?? "").toLowerCase().includes(word)));
  return (
    <>
      <p class="field-hint">
        This looks like {format}, with {counted(chats.length, "chat")}.
      </p>
      <input
        type="search"
        class="input"
        aria-label="Words in the title"
        placeholder="Words in the title"
        autofocus
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
      />
      <ul class="opening-chats" aria-label="Chats">
        {found.slice(0, MAX_SHOWN).map((chat, index) => (
          <li key={index}>
            <button type="button" class="opening-chat" onClick={() => openChat(chat, format, name)}>
              <span>{chat.title ?? "Without a title"}</span>
              {chat.at !== null && <span class="field-hint">{dates.format(chat.at)}</span>}
            </button>
          </li>
        ))}
      </ul>
      <p role="status" class="field-hint">
        {found.length > MAX_SHOWN
          ? `${counted(found.length - MAX_SHOWN, "more chat")}: write a word of the title.`
          : counted(found.length, "chat")}
      </p>
    </>
  );
}
