import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { messagesOfAny } from "../libraries/any-messages.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedUsage, usageOf, usageOfCounts, withCost } from "../reading/recorded-chat.ts";
import { timeFrom } from "../reading/values.ts";
import { chatsOfRequests, type LoggedRequest } from "./request-log.ts";

/** Reads traces of Langfuse with their observations, and lists of observations: those of the type `GENERATION`. */
export const langfuseReader: RecordingReader = {
  format: "langfuse",
  recognizes: (given) => observationsIn(given).some(isObservation),
  read: (given: unknown) =>
    chatsOfRequests(
      observationsIn(given)
        .filter(({ type, output }) => type === "GENERATION" && (output ?? null) !== null)
        .map(requestOf),
    ),
};

const isObservation = ({ type, traceId, startTime }: PlainObject): boolean =>
  /^[A-Z]+$/.test(String(type)) && typeof traceId === "string" && startTime !== undefined;

/** The observations of traces, with the session of their trace, or of a list. */
function observationsIn(given: unknown): PlainObject[] {
  const records = objectsIn(isPlainObject(given) && Array.isArray(given.data) ? given.data : [given].flat());
  return records.flatMap((record) => {
    const { sessionId } = { ...record, ...(isPlainObject(record.trace) ? record.trace : {}) };
    const observations = objectsIn(record.observations);
    return observations.length === 0 ? [record] : observations.map((one) => ({ sessionId, ...one }));
  });
}

function requestOf(observation: PlainObject): LoggedRequest {
  const { input, output, startTime, endTime, model, traceId, sessionId, usageDetails, usage, totalCost } = observation;
  const { calculatedTotalCost = totalCost, costDetails } = observation;
  const dollars = (isPlainObject(costDetails) ? costDetails.total : undefined) ?? calculatedTotalCost;
  const counts = isPlainObject(usageDetails) ? usageOfDetails(usageDetails) : usageOfOld(observation, usage);
  return {
    sent: messagesOfAny(input, "user"),
    reply: messagesOfAny(output, "assistant"),
    model: typeof model === "string" ? model : undefined,
    usage: withCost(counts, dollars),
    at: timeFrom(endTime),
    start: timeFrom(startTime),
    session: [sessionId, traceId].find((id): id is string => typeof id === "string"),
  };
}

/** Reads counts of which no one is part of another one, except the total. */
function usageOfDetails(details: PlainObject): RecordedUsage | undefined {
  const sum = (isCounted: (name: string) => boolean) =>
    Object.entries(details)
      .filter(([name, count]) => isCounted(name) && typeof count === "number")
      .reduce((total, [, count]) => total + (count as number), 0);
  const isRead = (name: string) => /cached|cache_read/i.test(name);
  const isWritten = (name: string) => /cache_(?:creation|write)/i.test(name);
  if (Object.keys(details).length === 0) return undefined;
  return usageOfCounts({
    fresh: sum((name) => /^(?:input|prompt)/.test(name) && !isRead(name) && !isWritten(name)),
    read: sum(isRead),
    written: sum(isWritten),
    output: sum((name) => /^(?:output|completion)/.test(name)),
    ...(Object.keys(details).some((name) => /reasoning/.test(name))
      ? { reasoning: sum((name) => /reasoning/.test(name)) }
      : {}),
  });
}

/** The usage of observations without details. */
function usageOfOld(observation: PlainObject, usage: unknown): RecordedUsage | undefined {
  const { input, output } = isPlainObject(usage) ? usage : {};
  return (
    usageOf(usage) ??
    usageOfCounts({ fresh: input ?? observation.promptTokens, output: output ?? observation.completionTokens })
  );
}
