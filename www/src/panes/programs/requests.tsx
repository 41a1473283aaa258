import { FirstRows } from "../../controls/first-rows.tsx";
import { Unfolded } from "../../controls/unfolded.tsx";
import type { SentRequest } from "../../programs/calling.ts";

/** The requests of a call with their exact replies. */
export const Requests = ({ list }: { readonly list: readonly SentRequest[] }) => (
  <ol class="sent-list">
    <FirstRows items={list} what="requests" as="li">
      {(request) => (
        <li key={request.number} data-repair={request.isRepair || undefined}>
          <p class="sent-head">
            <span class="sent-number">Request {request.number}</span>
            <span class="run-fact">{whatFor(request)}</span>
          </p>
          {request.isRepair && <p class="sent-problem">{whatWasWrong(request)}</p>}
          <Sent request={request} />
          {request.reply !== "" && <pre class="sent-reply">{request.reply}</pre>}
        </li>
      )}
    </FirstRows>
  </ol>
);

function whatFor({ purpose, step, isRepair }: SentRequest): string {
  const outputs = purpose === "extraction" || step === null ? "outputs" : `step ${step}`;
  const what = purpose === "summary" ? "a summary" : outputs;
  return isRepair ? `${what}, repair: the previous reply was invalid` : what;
}

/** The problems of a reply: the second-to-last paragraph of the repair request. */
const whatWasWrong = ({ messages }: SentRequest): string => String(messages.at(-1)?.content).split("\n\n").at(-2) ?? "";

const Sent = ({ request }: { readonly request: SentRequest }) => (
  <Unfolded class="request-messages" summary="What was sent">
    {() => (
      <FirstRows items={request.messages} what="messages" as="p">
        {({ role, content }, index) => (
          <div key={index}>
            <p class="sent-role">{role}</p>
            <pre>{String(content)}</pre>
          </div>
        )}
      </FirstRows>
    )}
  </Unfolded>
);
