import type { RequestNeed } from "turnfold/audit";
import { Conversation, type Fate, planHistory } from "turnfold/chat";
import { messageOf } from "../page/problem.ts";
import type { Use } from "../plots/fates.ts";
import { type ChatParameters, customSource, requestParameters } from "./calls.ts";
import type { NeedsJob } from "./needs-of.ts";

/** The uses that are shown: those of lost values first, then those of values that are farther back. */
const MAX_USES = 600;

/** Computes in a worker which values of earlier messages the calls of a chat use. Returns a function that cancels it. */
export function findUses(
  conversation: Conversation,
  parameters: ChatParameters,
  done: (uses: readonly Use[]) => void,
  failed: (message: string) => void,
): () => void {
  const job: NeedsJob = { kind: "needs", conversation: conversation.toJSON(), parameters };
  if (customSource(parameters) !== undefined) {
    void customNeeds(job).then(
      (needs) => done(usesOf(conversation, needs)),
      (error) => failed(messageOf(error)),
    );
    return () => {};
  }
  const worker = new Worker(new URL("../tokens/costs-worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<readonly RequestNeed[]>) => {
    worker.terminate();
    done(usesOf(conversation, data));
  };
  worker.onerror = ({ message }) => failed(message?.replace(/^Uncaught (?:\w*Error: )?/, "") || "it can’t be loaded");
  worker.postMessage(job);
  return () => worker.terminate();
}

const customNeeds = async (job: NeedsJob): Promise<readonly RequestNeed[]> =>
  (await import("../custom/plans.ts")).customNeeds(job);

/** The needs, those of the same two messages together. */
function usesOf({ messages }: Conversation, needs: readonly RequestNeed[]): readonly Use[] {
  // A request is that of each assistant message which has a message before it.
  const requests = messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []));
  const byPlaces = Map.groupBy(needs, ({ request, message, status }) => `${request} ${message} ${status}`);
  const uses = [...byPlaces.values()].map((same): Use => {
    const [{ request, message, distance, status }] = same as [RequestNeed];
    return { values: same.map(({ atom }) => atom), from: message, by: requests[request] ?? 0, distance, status };
  });
  const rank = ({ status }: Use): number => (status === "lost" ? 0 : status === "recoverable" ? 1 : 2);
  return uses
    .sort((one, other) => rank(one) - rank(other) || other.distance - one.distance)
    .slice(0, MAX_USES)
    .sort((one, other) => one.by - other.by || one.from - other.from);
}

/** The fate of a message in the request of a later one. */
export function fateAt({ messages }: Conversation, parameters: ChatParameters, { from, by }: Use): Fate | null {
  const before = new Conversation({ messages: messages.slice(0, by) });
  return planHistory(before, requestParameters(parameters)).messages[from] ?? null;
}
