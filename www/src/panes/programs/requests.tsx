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
            <h5>{role}</h5>
            <pre>{String(content)}</pre>
          </div>
        ))}
    </details>
  );
}
