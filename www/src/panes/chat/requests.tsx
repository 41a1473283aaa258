import { useComputed } from "@preact/signals";
import { Fragment } from "preact";
import { estimate, type Plan } from "turnfold/chat";
import { summarizerEntries } from "../../chat/options.ts";
import { groupOfRequest, planned } from "../../chat/plan.ts";
import { chat, editChat } from "../../chat/store.ts";
import {
  ASK_BUTTON,
  answered,
  askForSummaries,
  editSummaries,
  SCRIPT,
  summaryRun,
  summaryTexts,
  typeSummary,
} from "../../chat/summaries.ts";
import { messagesAt } from "../../chat/words.ts";
import { Choices } from "../../controls/choices.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { FirstRows } from "../../controls/first-rows.tsx";
import { Icon } from "../../controls/icon.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { Unfolded } from "../../controls/unfolded.tsx";
import { type RowProps, VirtualList } from "../../controls/virtual-list.tsx";
import { counted, formatted } from "../../page/numbers.ts";
import { memo } from "../../page/reuse.ts";
import { EndpointFields } from "../run/endpoint-fields.tsx";

/** The requests for summaries, and the choice of the summarizer. */
export function Requests() {
  const { plan } = planned.value;
  const { summarizer, scripted } = chat.value;
  if (plan === null || plan.requests.length === 0) return null;
  const chosen = summarizerEntries.find(({ name }) => name === summarizer);
  return (
    <section class="chat-requests" aria-labelledby="requests-title">
      <h2 class="pane-title" id="requests-title">
        Summaries <span class="count">{counted(plan.requests.length, "request")}</span>
      </h2>
      <Choices
        name="chat-summarizer"
        legend="Who writes the summaries"
        options={summarizerEntries}
        value={summarizer}
        disabled={summaryRun.value !== null}
        onChange={(name) => editChat({ summarizer: name })}
      />
      <p class="strategy-summary">{chosen?.summary}</p>
      {summarizer === "scripted" && (
        <TextField
          id="chat-scripted"
          label="Scripted summary"
          placeholder={SCRIPT}
          lines={2}
          value={scripted}
          onInput={(text) => editChat({ scripted: text })}
        />
      )}
      {summarizer === "endpoint" && (
        <>
          <EndpointFields />
          <AskBar />
        </>
      )}
      <VirtualList name="requests" items={plan.requests} rowHeight={110} gap={8} class="request-list">
        {(request, index, row) => (
          <RequestCard
            key={index}
            row={row}
            request={request}
            index={index}
            group={groupOfRequest.value.get(index) ?? 1}
            text={summaryTexts.value[index] ?? ""}
            isTyped={summarizer === "typed"}
          />
        )}
      </VirtualList>
    </section>
  );
}

function AskBar() {
  const isAsking = summaryRun.value !== null;
  const last = answered.value;
  return (
    <>
      <div class="run-bar">
        <button
          type="button"
          id={ASK_BUTTON}
          class={isAsking ? "button" : "button primary"}
          onClick={() => (isAsking ? summaryRun.value?.stop.abort() : void askForSummaries())}
        >
          <Icon name={isAsking ? "stop" : "play"} />
          {isAsking ? "Stop" : last === null ? "Ask the endpoint" : "Ask again"}
        </button>
        {!isAsking && last?.texts.every((text) => text.trim() !== "") === true && (
          <button type="button" class="button" onClick={editSummaries}>
            Edit them
          </button>
        )}
      </div>
      <p role="status" class="agent-status">
        {useProgress()}
      </p>
      {last !== null && last.notes.length > 0 && (
        <ul class="chat-notes">
          <FirstRows items={last.notes} what="notes" as="li">
            {(note, index) => <li key={index}>{note}</li>}
          </FirstRows>
        </ul>
      )}
    </>
  );
}

function useProgress(): string {
  const now = useComputed(() => {
    if (summaryRun.value === null) return "";
    const { texts } = summaryRun.value;
    const begun = texts.filter((text) => text !== "").length;
    return `Asking: ${formatted(begun)} of ${counted(texts.length, "answer")} ${begun === 1 ? "comes" : "come"} in …`;
  });
  return now.value;
}

interface RequestCardProps {
  readonly row: RowProps;
  readonly request: Plan["requests"][number];
  readonly index: number;
  /** The number of its group. */
  readonly group: number;
  /** The received part of the answer. */
  readonly text: string;
  readonly isTyped: boolean;
}

const RequestCard = memo(({ row, request, index, group, text, isTyped }: RequestCardProps) => {
  const number = formatted(index + 1);
  return (
    <li {...row} class="request" data-group={((group - 1) % 6) + 1}>
      <div class="request-head">
        <h3>
          <span class="group-mark">{formatted(group)}</span> Request {number}
        </h3>
        <span class="run-fact">{messagesAt(request.covers)}</span>
        <CopyButton
          text={() => JSON.stringify(request.messages, null, 2)}
          label={`Copy the messages of request ${number}`}
        />
      </div>
      <RequestMessages request={request} />
      {isTyped ? (
        <TextField
          id={`chat-summary-${index + 1}`}
          label={`Summary for request ${number}`}
          lines={3}
          value={text}
          onInput={(next) => typeSummary(index, next)}
        />
      ) : (
        text !== "" && <p class="request-answer">{text}</p>
      )}
    </li>
  );
});

/** The exact texts of a request. */
const RequestMessages = ({ request }: Pick<RequestCardProps, "request">) => (
  <Unfolded class="request-messages" summary="What the model is asked">
    {() =>
      request.messages.map(({ role, content }) => (
        <Fragment key={role}>
          <h4>
            {role} <span class="run-fact">about {counted(estimate.count(String(content)), "token")}</span>
          </h4>
          <pre>{String(content)}</pre>
        </Fragment>
      ))
    }
  </Unfolded>
);
