import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { objectIn, timeFrom } from "../reading/values.ts";

/** A span of a trace: an operation with a beginning and an end. */
export interface Span {
  id: unknown;
  parent: unknown;
  trace: string | undefined;
  name: string;
  start: number | undefined;
  end: number | undefined;
  /** The attributes as a tree: `a.0.b` is a member of the first element of a list. */
  attributes: PlainObject;
  events: { name: string; attributes: PlainObject }[];
}

/**
 * Reads the spans of an export: OTLP as JSON or as its lines, with events in log records; a list of spans as SDKs and
 * Phoenix write them; a trace of Jaeger.
 */
export function spansIn(given: unknown): Span[] {
  const records = [given].flat().filter(isPlainObject).flatMap(recordsIn);
  const spans = records.filter((record) => !isLog(record)).map(spanOf);
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (const record of records.filter(isLog)) {
    const log = spanOf(record);
    const span = byId.get(log.id) ?? log;
    if (span === log) spans.push(log);
    byId.set(log.id, span);
    span.events.push({ name: log.name, attributes: log.attributes });
  }
  return spans;
}

/** Names of the members with lists of spans, and of what holds them. */
const LISTS = [
  "resourceSpans",
  "resource_spans",
  "scopeSpans",
  "scope_spans",
  "instrumentationLibrarySpans",
  "resourceLogs",
  "scopeLogs",
  "logRecords",
  "spans",
  "data",
];

function recordsIn(record: PlainObject): PlainObject[] {
  const lists = LISTS.map((name) => record[name]).filter(Array.isArray);
  return lists.length === 0 ? [record] : lists.flat().filter(isPlainObject).flatMap(recordsIn);
}

const isLog = (record: PlainObject): boolean => "body" in record || "observedTimeUnixNano" in record;

function spanOf(record: PlainObject): Span {
  const context = objectIn(record.context ?? record.spanContext ?? record.span_context);
  const attributes = attributesIn(record);
  const start = timeFrom(
    record.startTimeUnixNano ??
      record.start_time_unix_nano ??
      record.startTime ??
      record.start_time ??
      record.timeUnixNano,
  );
  const end = timeFrom(record.endTimeUnixNano ?? record.end_time_unix_nano ?? record.endTime ?? record.end_time);
  // Jaeger's duration is in microseconds.
  const ended = typeof record.duration === "number" && start !== undefined ? start + record.duration / 1000 : start;
  const trace =
    record.traceId ??
    record.trace_id ??
    record.traceID ??
    context.trace_id ??
    context.traceId ??
    record["context.trace_id"];
  const parent = objectIn(objectsIn(record.references)[0]).spanID;
  return {
    id:
      record.spanId ??
      record.span_id ??
      record.spanID ??
      context.span_id ??
      context.spanId ??
      record["context.span_id"],
    parent: record.parentSpanId ?? record.parent_span_id ?? record.parent_id ?? record.parentId ?? parent,
    trace: typeof trace === "string" ? trace : undefined,
    name: String(
      record.name ?? record.operationName ?? record.eventName ?? attributeAt(attributes, "event", "name") ?? "",
    ),
    start,
    end: end ?? ended,
    attributes,
    events: objectsIn(record.events).map((event) => ({ name: String(event.name), attributes: attributesIn(event) })),
  };
}

/** The attributes of a span, an event or a log record, with the members of its body. */
function attributesIn(record: PlainObject): PlainObject {
  const columns = Object.entries(record).flatMap(([name, value]) =>
    name.startsWith("attributes.") ? [[name.slice(11), value] as const] : [],
  );
  const body = objectIn(plainValue(record.body));
  return treeOf([...entriesIn(record.attributes ?? record.tags), ...columns, ...Object.entries(body)]);
}

/** The names and values of attributes: members of an object, or pairs as OTLP and Jaeger have them. */
function entriesIn(given: unknown): (readonly [string, unknown])[] {
  if (!Array.isArray(given)) return Object.entries(objectIn(given));
  return objectsIn(given).map(({ key, value }) => [String(key), plainValue(value)] as const);
}

/** Returns the value of an attribute, which OTLP writes with its type. */
function plainValue(given: unknown): unknown {
  if (!isPlainObject(given)) return given;
  const { intValue, arrayValue, kvlistValue } = given;
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue !== undefined) return objectsIn(objectIn(arrayValue).values).map(plainValue);
  if (kvlistValue !== undefined) return Object.fromEntries(entriesIn(objectIn(kvlistValue).values));
  const name = ["stringValue", "doubleValue", "boolValue", "bytesValue"].find((type) => type in given);
  return name === undefined ? given : given[name];
}

/** Makes a tree of names with dots. Where a name is the beginning of another one, its value is omitted. */
function treeOf(entries: readonly (readonly [string, unknown])[]): PlainObject {
  const root: PlainObject = {};
  for (const [name, value] of entries) {
    const path = name.split(".");
    let at = root;
    for (const step of path.slice(0, -1)) {
      const next: PlainObject = isPlainObject(at[step]) ? at[step] : {};
      at[step] = next;
      at = next;
    }
    const last = path.at(-1) as string;
    if (!isPlainObject(at[last])) at[last] = nested(value);
  }
  return listsIn(root) as PlainObject;
}

/** Makes trees of the messages that Phoenix exports, whose members have names with dots. */
function nested(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(nested);
  if (!isPlainObject(given)) return given;
  const entries = Object.entries(given);
  return entries.some(([name]) => /^(?:message|message_content|tool_call)\./.test(name)) ? treeOf(entries) : given;
}

/** Makes lists of objects whose members are numbers. */
function listsIn(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(listsIn);
  if (!isPlainObject(given)) return given;
  const entries = Object.entries(given).map(([name, value]) => [name, listsIn(value)] as const);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

/** The value at a path of the tree. */
export function attributeAt(attributes: PlainObject, ...path: string[]): unknown {
  return path.reduce<unknown>((inner, name) => objectIn(inner)[name], attributes);
}
