import { FirstRows } from "../../controls/first-rows.tsx";
import { Unfolded } from "../../controls/unfolded.tsx";
import type { Asked } from "../../programs/calling.ts";

/** The requests of a call with their exact replies. */
export const Requests = ({ list }: { readonly list: readonly Asked[] }) => (
  <ol class="asked-list">
    <FirstRows items={list} what="requests" as="li">
      {(asked) => (
        <li key={asked.number} data-repair={asked.isRepair || undefined}>
          <p class="asked-head">
            <span class="asked-number">Request {asked.number}</span>
            <span class="run-fact">{whatFor(asked)}</span>
          </p>
          {asked.isRepair && <p class="asked-why">{whatWasWrong(asked)}</p>}
          <Sent asked={asked} />
          {asked.reply !== "" && <pre class="asked-reply">{asked.reply}</pre>}
        </li>
      )}
    </FirstRows>
  </ol>
);

function whatFor({ purpose, step, isRepair }: Asked): string {
  const outputs = purpose === "extraction" || step === null ? "outputs" : `step ${step}`;
  const what = purpose === "summary" ? "a summary" : outputs;
  return isRepair ? `${what}, repair: the previous reply was invalid` : what;
}

/** The problems of a reply: the second-to-last paragraph of the repair request. */
const whatWasWrong = ({ messages }: Asked): string => String(messages.at(-1)?.content).split("\n\n").at(-2) ?? "";

const Sent = ({ asked }: { readonly asked: Asked }) => (
  <Unfolded class="request-messages" summary="What was sent">
    {() => (
      <FirstRows items={asked.messages} what="messages" as="p">
        {({ role, content }, index) => (
          <div key={index}>
            <p class="asked-role">{role}</p>
            <pre>{String(content)}</pre>
          </div>
        )}
      </FirstRows>
    )}
  </Unfolded>
);
