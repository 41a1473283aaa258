import { ProgramRecord } from "../sandbox/program-record.ts";
import { waitingCalls } from "../sandbox/recorded-call.ts";
import type { RunRecord } from "../waiting/run-record.ts";
import type { WaitingCall } from "../waiting/waiting-call.ts";

/**
 * The calls that wait, from the records of a turn.
 *
 * @param inCall returns those of a nested agent whose records are elsewhere, by the id of the call that it is; null for any other
 * call.
 *
 * @internal
 */
export function waitingIn(
  records: readonly RunRecord[],
  inCall: (id: string) => readonly WaitingCall[] | null = () => null,
): WaitingCall[] {
  const [reply] = records;
  const turn = reply?.type === "reply" ? reply.turn : 0;
  return waitingCalls(
    ProgramRecord.from(records),
    ({ id }) => `${turn}.${id}`,
    (_, id) => inCall(id),
  );
}
