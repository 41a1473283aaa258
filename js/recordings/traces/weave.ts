import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { isRequest, loggedRequest } from "./api-requests.ts";
import { chatsOfRequests } from "./request-log.ts";

/** Reads calls of Weave: those of the clients of providers, whose inputs are the request and whose output is the response. */
export const weaveReader: RecordingReader = {
  format: "weave",
  recognizes: (given) => callsIn(given).some(isCall),
  read: (given: unknown) =>
    chatsOfRequests(
      callsIn(given)
        .filter(({ inputs, exception }) => isPlainObject(inputs) && isRequest(inputs) && (exception ?? null) === null)
        .map(({ inputs, output, started_at: start, ended_at: end, thread_id: thread, trace_id: trace }) =>
          loggedRequest({ request: inputs, response: output, start, end, session: thread ?? trace }),
        )
        .filter((request) => request !== null),
    ),
};

const callsIn = (given: unknown): PlainObject[] => objectsIn(isPlainObject(given) ? (given.calls ?? [given]) : given);

const isCall = (call: PlainObject): boolean =>
  typeof call.op_name === "string" && typeof call.trace_id === "string" && isPlainObject(call.inputs);
