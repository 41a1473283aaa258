import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { jsonOf } from "./recorded-message.ts";

interface OpenCall {
  id: string;
  name: unknown;
  /** False if the recording has no id for it. */
  hasId: boolean;
}

/**
 * Returns messages of chat completions as OpenAI writes them. Other servers, chat templates and datasets have arguments
 * as objects, calls without ids or without `function`, results without the id of their call or with data as content.
 * A result without an id belongs to the first open call of its name, or to the first open call; without one it is what
 * the user said.
 */
export function withCompleteCalls(messages: readonly unknown[]): unknown[] {
  let open: OpenCall[] = [];
  let called: unknown = null;
  return messages.map((message, index) => {
    if (!isPlainObject(message)) return message;
    const { role, tool_calls: calls, function_call: call, tool_call_id: id } = message;
    if (role === "user") open = [];
    if (isPlainObject(call)) {
      called = call.name;
      return { ...message, function_call: { ...call, arguments: argumentsText(call.arguments) } };
    }
    if (role === "function")
      return { ...message, name: message.name ?? called, content: resultContent(message.content) };
    if (Array.isArray(calls)) {
      const complete = calls.map((one, number) =>
        isPlainObject(one) ? completeCall(one, `call_${index}_${number}`) : one,
      );
      open.push(...objectsIn(complete).map((one) => openCall(one, calls)));
      return { ...message, tool_calls: complete };
    }
    if (role !== "tool" || (typeof id !== "string" && (id ?? null) !== null)) return message;
    const content = resultContent(message.content);
    const answered = takeCall(open, message);
    return answered === undefined ? { role: "user", content } : { ...message, tool_call_id: answered, content };
  });
}

function openCall({ id, function: called }: PlainObject, given: readonly unknown[]): OpenCall {
  return { id: id as string, name: Object(called).name, hasId: objectsIn(given).some((call) => call.id === id) };
}

/** Removes the call of a result from those without one, and returns its id; undefined if there is none. */
function takeCall(
  open: OpenCall[],
  { tool_call_id: given, name, tool_name: tool = name }: PlainObject,
): string | undefined {
  const id = given === "" ? undefined : (given as string | undefined | null);
  const isNamed = (call: OpenCall) => call.name === tool;
  const found =
    open.find((call) => call.id === id) ??
    (typeof id === "string" ? open.find(({ hasId }) => !hasId) : (open.find(isNamed) ?? open[0]));
  if (found !== undefined) open.splice(open.indexOf(found), 1);
  return found?.id ?? id ?? undefined;
}

function completeCall(call: PlainObject, otherId: string): PlainObject {
  const id = typeof call.id === "string" && call.id !== "" ? call.id : otherId;
  const { name, arguments: args, parameters = args } = isPlainObject(call.function) ? call.function : call;
  if (isPlainObject(call.custom) || typeof name !== "string") return { ...call, id };
  if (id === call.id && isPlainObject(call.function) && typeof args === "string") return call;
  return { id, type: "function", function: { name, arguments: argumentsText(args ?? parameters) } };
}

const argumentsText = (given: unknown): string =>
  typeof given === "string" ? given : jsonOf(given ?? {}, "arguments");

/** The content of a result: a text, a list of parts, or data as JSON. */
function resultContent(content: unknown): unknown {
  if (content === undefined || content === null) return "";
  const isParts = Array.isArray(content) && content.every((part) => typeof Object(part).type === "string");
  return typeof content === "string" || isParts ? content : jsonOf(content, "content");
}
