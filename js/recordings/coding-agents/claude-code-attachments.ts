import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { jsonOf, textOf } from "../recorded-message.ts";

/** Kinds of attachments that only the client reads. */
const UNREAD =
  /^(?:hook_(?:success|cancelled|system_message|non_blocking_error|error_during_execution|permission_decision)|command_permissions|already_read_file|edited_image_file|structured_output|dynamic_skill|goal_status)$/;

/** Hooks whose output is for the model. */
const TELLING_HOOKS = /^(?:SessionStart|UserPromptSubmit|SubagentStart)$/;

/**
 * The text that a model reads of an attachment: a file, a change, a reminder, the output of a hook; null if it reads none.
 * A recording has the data of an attachment; the words that Claude Code puts around them are in no recording.
 */
export function attachedText(attachment: PlainObject): string | unknown[] | null {
  const { type, prompt, hookEvent, content } = attachment;
  if (type === "queued_command") return Array.isArray(prompt) ? prompt : textOf(prompt);
  if (type === "hook_success" && TELLING_HOOKS.test(String(hookEvent)) && textOf(content) !== "")
    return reminder(textOf(content));
  if (UNREAD.test(String(type))) return null;
  const texts = textsIn(attachment);
  return texts.length === 0 ? null : reminder(texts.join("\n"));
}

const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

/** Members that name an attachment for the client. */
const NAMES = new Set(["type", "hookName", "hookEvent", "toolUseID", "displayPath", "reminderType", "itemCount"]);

function textsIn(members: PlainObject): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (NAMES.has(name)) return [];
    if (typeof value === "string") return value === "" ? [] : [value];
    if (isPlainObject(value)) return textsIn(value);
    if (!Array.isArray(value)) return [];
    return value.map((one) => (typeof one === "string" ? one : jsonOf(one, "attachment")));
  });
}
