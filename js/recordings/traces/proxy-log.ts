import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOf } from "../reading/recorded-chat.ts";
import { objectIn } from "../reading/values.ts";
import { bodyOf, type Exchange, isRequest, loggedRequest } from "./api-requests.ts";
import { chatsOfRequests, type LoggedRequest, RequestLog } from "./request-log.ts";

/** Names of the members with the request and the response; the body is there, or in one of {@link BODIES} of it. */
const REQUESTS = [
  "body",
  "request",
  "request_body",
  "requestBody",
  "req",
  "reqPayload",
  "input",
  "params",
  "kwargs",
  "proxy_server_request",
  "full_request",
];
const RESPONSES = [
  "reply",
  "response",
  "response_body",
  "responseBody",
  "res",
  "respPayload",
  "output",
  "result",
  "completion",
  "full_response",
];
const BODIES = ["body", "body_raw", "events", "json", "data", "text"];

/**
 * Reads logs of proxies and gateways, one object for each request: Turnfold's own, and those of claude-trace, LiteLLM,
 * Helicone, steps of smolagents, and others that have the bodies of the request and of the response under usual names.
 */
export const proxyLogReader: RecordingReader = {
  format: "proxy-log",
  recognizes: (given) =>
    recordsIn(given).some((record) => record.custom_id === undefined && exchangeIn(record) !== null),
  read: (given: unknown) => {
    const bodies: Bodies = new Map();
    return chatsOfRequests(recordsIn(given).flatMap((record) => requestsIn(record, bodies)));
  },
  lines: () => {
    const log = new RequestLog();
    const bodies: Bodies = new Map();
    return {
      read: (record) => {
        for (const request of requestsIn(record, bodies)) log.add(request);
        return [];
      },
      end: () => log.chats(),
    };
  },
};

/** The body of the last record of each session of Turnfold's proxy. */
type Bodies = Map<unknown, PlainObject>;

/**
 * A record with the whole body. Turnfold's proxy writes what is new since the record before it: `continues` is the number
 * of messages of that one with which the history begins, and members that the body lacks are the same.
 */
function wholeRecord(record: PlainObject, bodies: Bodies): PlainObject {
  const { turnfold, session, continues, body } = record;
  if (turnfold !== "request" || !isPlainObject(body)) return record;
  const before = bodies.get(session);
  const name = Array.isArray(body.messages) ? "messages" : "input";
  const [earlier, added] = [before?.[name], body[name]];
  const isContinued = Array.isArray(earlier) && Array.isArray(added) && earlier.length >= Number(continues);
  const whole = isContinued ? { ...before, ...body, [name]: [...earlier.slice(0, Number(continues)), ...added] } : body;
  bodies.set(session, whole);
  return { ...record, body: whole };
}

/** The request of a record; none of another record, or of one that failed. */
function requestsIn(record: PlainObject, bodies: Bodies): LoggedRequest[] {
  const exchange = exchangeIn(wholeRecord(record, bodies));
  const request = exchange === null ? null : loggedRequest(exchange);
  return request === null ? [] : [request];
}

/** The records of a list, of an object with a list, or the object itself. */
function recordsIn(given: unknown): PlainObject[] {
  if (Array.isArray(given)) return given.filter(isPlainObject);
  if (!isPlainObject(given)) return [];
  const list = given.rawPairs ?? given.data;
  return Array.isArray(list) ? list.filter(isPlainObject) : [given];
}

/** The values that may be a body, under the given names of a record. */
function bodiesIn(record: PlainObject, names: readonly string[]): unknown[] {
  const holders = names.map((name) => record[name]).filter((value) => value !== undefined && value !== null);
  return holders.flatMap((holder) => [...BODIES.map((name) => objectIn(holder)[name]), holder]);
}

const isResponse = ({ choices, candidates, output, content, message, role, error }: PlainObject): boolean =>
  [choices, candidates, output, content].some(Array.isArray) ||
  isPlainObject(message) ||
  role === "assistant" ||
  isPlainObject(error);

/** A step of smolagents as a record; any other record is returned. */
function recordOf(given: PlainObject): PlainObject {
  const { model_input_messages: messages, model_output_message: message, timing, ...step } = given;
  if (!Array.isArray(messages)) return given;
  return { ...step, ...objectIn(timing), request: { messages }, response: objectIn(message).raw ?? { message } };
}

/** The bodies of a record; null for a record without. A request without a response says where it was sent. */
function exchangeIn(given: PlainObject): Exchange | null {
  const record = recordOf(given);
  const response = bodiesIn(record, RESPONSES).find((given) => isResponse(bodyOf(given) ?? {}));
  const own = response === undefined ? [] : [record];
  const request = [...bodiesIn(record, REQUESTS), ...own].find((given) => isRequest(bodyOf(given) ?? {}));
  const sent = REQUESTS.map((name) => objectIn(record[name])).find(({ url }) => url !== undefined) ?? {};
  const received = RESPONSES.map((name) => objectIn(record[name])).find((given) => statusIn(given) !== undefined) ?? {};
  const url = record.url ?? record.path ?? sent.url ?? record.request_path ?? record.call_type;
  if (request === undefined || (response === undefined && url === undefined)) return null;
  return {
    request,
    response,
    url,
    status: statusIn(record) ?? statusIn(received),
    start:
      firstOf(record, ["startTime", "start_time", "request_created_at", "requestedAt"]) ??
      sent.timestamp ??
      firstOf(record, TIMES),
    end: firstOf(record, ["endTime", "end_time", "response_created_at", "receivedAt"]) ?? received.timestamp,
    session: sessionIn(record, sent),
    usage: usageOf(record.usage ?? record.token_usage) ?? usageOf(record),
    omitted: record.omitted,
    dollars: firstOf(record, ["response_cost", "cost_usd", "cost", "spend"]),
  };
}

const TIMES = ["at", "timestamp", "created_at", "createdAt", "time", "ts", "date", "logged_at", "logging_time"];
const STATUSES = ["status_code", "statusCode", "response_status", "status"];

const firstOf = (record: PlainObject, names: readonly string[]): unknown =>
  names.map((name) => record[name]).find((value) => value !== undefined && value !== null);

const statusIn = (record: PlainObject): unknown =>
  STATUSES.map((name) => record[name]).find((value) => Number(value) > 0);

function sessionIn(record: PlainObject, { headers }: PlainObject): unknown {
  const named = firstOf(record, ["session", "session_id", "sessionId"]) ?? objectIn(record.metadata).session_id;
  const [, id] =
    [headers, record.request_properties]
      .flatMap((given) => Object.entries(objectIn(given)))
      .find(([name]) => /session[-_]id$/i.test(name)) ?? [];
  return named ?? id;
}
