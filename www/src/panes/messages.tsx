import { useSignal } from "@preact/signals";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { memo } from "../memo.ts";
import type { Frame, RenderedMessage, Section } from "../render.ts";
import { sectionNames } from "./section-names.ts";

export const Messages = ({ frame }: { readonly frame: Frame }) => (
  <ol class="messages" aria-label="Messages">
    {frame.messages.map((message, index) => (
      <MessageCard key={index} message={message} number={index + 1} />
    ))}
  </ol>
);

interface MessageCardProps {
  readonly message: RenderedMessage;
  readonly number: number;
}

function MessageCard({ message, number }: MessageCardProps) {
  const { role, content, tokens, sections } = message;
  // The system text is the same for every turn and mission, so it steps aside for what changes.
  const open = useSignal(role !== "system");
  const bodyId = `message-${number}`;
  return (
    <li class="message" data-role={role} data-open={open.value || undefined}>
      <div class="message-head">
        <h3>
          <button
            type="button"
            class="message-toggle"
            aria-expanded={open.value}
            aria-controls={bodyId}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            <Icon name="chevron" />
            <span class="message-role">{role}</span>
            <span class="message-tokens">{tokens.toLocaleString("en")} tokens</span>
          </button>
        </h3>
        <CopyButton text={content} label={`Copy message ${number}, ${role}`} />
      </div>
      {sections.length > 2 && <TokenBar sections={sections} />}
      <div class="message-body" id={bodyId} hidden={!open.value}>
        {open.value &&
          (sections.length === 0 ? (
            <div class="section-text">{content}</div>
          ) : (
            sections.map((section, index) => <SectionBlock key={index} section={section} />)
          ))}
      </div>
    </li>
  );
}

/** Where the tokens of a message go. The labels of the sections give the same numbers as text. */
const TokenBar = ({ sections }: { readonly sections: readonly Section[] }) => (
  <div class="token-bar" aria-hidden="true">
    {sections.map(({ kind, tokens }, index) =>
      kind === "separator" ? null : (
        <span
          key={index}
          data-kind={kind}
          style={{ flexGrow: tokens }}
          title={`${sectionNames[kind]}: ${tokens} tokens`}
        />
      ),
    )}
  </div>
);

const SectionBlock = memo(({ section }: { readonly section: Section }) => {
  const { kind, text, tokens } = section;
  if (kind === "separator") return <div class="separator">{text}</div>;
  return (
    <div class="section" data-kind={kind}>
      <div class="section-label">
        <span class="section-name">{sectionNames[kind]}</span>
        <span class="section-tokens">
          {tokens}
          <span class="visually-hidden"> tokens</span>
        </span>
      </div>
      <div class="section-text">{text}</div>
    </div>
  );
});
