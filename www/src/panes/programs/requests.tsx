import { useSignal } from "@preact/signals";
import type { Asked } from "../../programs/calling.ts";

/** Each time that the model was asked, with what it said to the letter. */
export const Requests = ({ list }: { readonly list: readonly Asked[] }) => (
  <ol class="asked-list">
    {list.map((asked) => (
      <li key={asked.number} data-repair={asked.isRepair || undefined}>
        <p class="asked-head">
          <span class="asked-number">Request {asked.number}</span>
          <span class="run-fact">{whatFor(asked)}</span>
        </p>
        {asked.isRepair && <p class="asked-why">{whatWasWrong(asked)}</p>}
        <Sent asked={asked} />
        {asked.reply !== "" && <pre class="asked-reply">{asked.reply}</pre>}
      </li>
    ))}
  </ol>
);

function whatFor({ purpose, step, isRepair }: Asked): string {
  const what =
    purpose === "summary"
      ? "a summary"
      : purpose === "extraction"
        ? "outputs"
        : step === null
          ? "outputs"
          : `step ${step}`;
  return isRepair ? `${what}, repair: the reply before could not be used` : what;
}

/** What the model is told about its reply: the last paragraph but one of what it is asked with. */
const whatWasWrong = ({ messages }: Asked): string => String(messages.at(-1)?.content).split("\n\n").at(-2) ?? "";

/** Written out only for those who look. */
function Sent({ asked }: { readonly asked: Asked }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="request-messages"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>What was sent</summary>
      {isOpen.value &&
        asked.messages.map(({ role, content }, index) => (
          <div key={index}>
            <p class="asked-role">{role}</p>
            <pre>{String(content)}</pre>
          </div>
        ))}
    </details>
  );
}
