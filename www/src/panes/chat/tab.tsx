import { Deferred } from "../../controls/deferred.tsx";
import { Sides } from "../../controls/sides.tsx";
import { audited } from "../../import/audited.ts";
import { Input } from "./input.tsx";
import { MessageList } from "./list.tsx";
import { PlanView } from "./plan.tsx";
import { Requests } from "./requests.tsx";
import { ResultView } from "./result.tsx";
import { HistoryStrategyPicker } from "./strategy.tsx";

const loadAudit = async () => (await import("./audit.tsx")).AuditView;

/** A message history on the left, its plan and result on the right. */
export const ChatTab = () => (
  <Sides
    left="Conversation"
    right="Plan"
    history={
      <div class="chat">
        <Input />
        <MessageList />
      </div>
    }
    messages={
      <div class="chat">
        <HistoryStrategyPicker />
        {audited.value !== null && <Deferred load={loadAudit} what="The audit" />}
        <PlanView />
        <Requests />
        <ResultView />
      </div>
    }
  />
);
