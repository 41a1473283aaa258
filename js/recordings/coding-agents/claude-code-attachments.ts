import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { textOf } from "../reading/recorded-message.ts";

/** Kinds of attachments that only the client reads. */
const UNREAD =
  /^(?:hook_(?:success|cancelled|system_message|non_blocking_error|error_during_execution|permission_decision)|command_permissions|already_read_file|edited_image_file|structured_output|dynamic_skill|goal_status|prompt_snapshot)$/;

/** Hooks whose output is for the model. */
const TELLING_HOOKS = /^(?:SessionStart|UserPromptSubmit|SubagentStart)$/;

/**
 * The text that a model reads of an attachment: a file, a change, a reminder, the output of a hook; null if it reads none.
 * An attachment has the data from which Claude Code makes a text. What is sent of it as it is, is the text here; the words
 * around it are in the records of requests only.
 */
export function attachedText(attachment: PlainObject): string | unknown[] | null {
  const { type, prompt, hookEvent, content } = attachment;
  if (type === "queued_command") return Array.isArray(prompt) ? prompt : textOf(prompt);
  const isTold = type === "hook_success" && TELLING_HOOKS.test(String(hookEvent));
  if (UNREAD.test(String(type)) && !isTold) return null;
  const texts = textsIn(isTold ? { content } : attachment);
  return texts.length === 0 ? null : texts.join("\n");
}

/** Members whose texts are sent as they are. */
const SENT = new Set(["content", "text", "addedLines", "addedBlocks", "snippet", "blockingError", "subject", "date"]);

const textsIn = (value: unknown, isSent = false): string[] =>
  typeof value === "string"
    ? isSent && value !== ""
      ? [value]
      : []
    : Array.isArray(value)
      ? value.flatMap((one) => textsIn(one, isSent))
      : isPlainObject(value)
        ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner, SENT.has(name)))
        : [];
