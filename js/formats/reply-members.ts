import { isPlainObject, type PlainObject } from "./data.ts";
import type { OriginalFormat } from "./original.ts";

/** The members that providers write in replies and refuse in requests, by the path of the objects that have them. */
type ReplyMembers = Readonly<Record<string, readonly string[]>>;

const CITATION_MEMBERS = ["file_id"];

/** From the types of the providers' packages: the members of replies that parameters of requests do not have. */
const REPLY_MEMBERS: Readonly<Partial<Record<OriginalFormat, ReplyMembers>>> = {
  anthropic: {
    messages: [
      "id",
      "type",
      "model",
      "container",
      "context_management",
      "diagnostics",
      "input_transformations",
      "parsed_output",
      "stop_details",
      "stop_reason",
      "stop_sequence",
      "usage",
    ],
    "messages.content": ["parsed_output"],
    "messages.content.citations": CITATION_MEMBERS,
    "messages.content.content.citations": CITATION_MEMBERS,
  },
  openai: {
    "": ["annotations", "parsed"],
    audio: ["data", "expires_at", "transcript"],
    tool_calls: ["index"],
    "tool_calls.function": ["parsed_arguments"],
  },
  "openai-responses": {
    "": ["created_by", "parsed_arguments"],
    content: ["parsed"],
    output: ["created_by"],
  },
};

/** Items of the Responses API that have a status only in replies. */
const WITHOUT_STATUS = ["custom_tool_call", "custom_tool_call_output"];

/**
 * Removes the members that only replies have from messages that were written in a format, in place.
 *
 * @param kept names of members that the host wants to be sent.
 */
export function withoutReplyMembers<T>(written: T, kept: readonly string[], format: OriginalFormat): T {
  const table = REPLY_MEMBERS[format];
  if (table === undefined) return written;
  const paths = Object.keys(table);
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, path);
    if (!isPlainObject(value)) return;
    for (const name of table[path] ?? []) remove(value, name);
    if (format === "openai-responses" && WITHOUT_STATUS.includes(value.type as string)) remove(value, "status");
    for (const name of Object.keys(value)) {
      const inner = path === "" ? name : `${path}.${name}`;
      if (paths.some((one) => one === inner || one.startsWith(`${inner}.`))) visit(value[name], inner);
    }
  };
  const remove = (holder: PlainObject, name: string): void => {
    if (!kept.includes(name)) delete holder[name];
  };
  visit(written, "");
  return written;
}
