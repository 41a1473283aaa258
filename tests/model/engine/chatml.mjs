// Converts messages of OpenAI's chat completions to tokens, by the template of the model.

import { RequestProblem } from "./request-problem.mjs";

/** The system message of the template when the first message is not one. */
const DEFAULT_SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

const ROLES = ["system", "user", "assistant", "tool"];

/**
 * Renders messages so that the model writes the next one. Text of a message never becomes a special token.
 *
 * @param {{ tokenize(text: string, special?: boolean): number[] }} tokenizer
 * @param {unknown} messages
 * @param {string} suffix text that is appended to the first message.
 * @returns {number[]} tokens
 * @throws {RequestProblem}
 */
export function promptOf(tokenizer, messages, suffix = "") {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RequestProblem("messages must be a list of messages", { param: "messages" });
  }
  const read = messages.map(messageOf);
  const all = read[0].role === "system" ? read : [{ role: "system", text: DEFAULT_SYSTEM }, ...read];
  all[0] = { role: "system", text: all[0].text + suffix };
  const [start] = tokenizer.tokenize("<|im_start|>", true);
  const [end] = tokenizer.tokenize("<|im_end|>", true);
  const newline = tokenizer.tokenize("\n");
  const tokens = all.flatMap(({ role, text }) => [start, ...tokenizer.tokenize(`${role}\n${text}`), end, ...newline]);
  return [...tokens, start, ...tokenizer.tokenize("assistant\n")];
}

function messageOf(message, index) {
  const param = `messages[${index}]`;
  if (typeof message !== "object" || message === null) {
    throw new RequestProblem(`${param} must be an object`, { param });
  }
  const role = message.role === "developer" ? "system" : message.role;
  if (!ROLES.includes(role)) throw new RequestProblem(`${param}.role must be one of ${ROLES.join(", ")}`, { param });
  const calls = role === "assistant" ? (message.tool_calls ?? []) : [];
  const texts = [textOf(message.content, `${param}.content`), ...calls.map(callText)];
  return { role, text: texts.filter((text) => text !== "").join("\n") };
}

function textOf(content, param) {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.every((part) => part?.type === "text" && typeof part.text === "string")) {
    return content.map(({ text }) => text).join("");
  }
  throw new RequestProblem(`${param} must be text: the model reads nothing else`, { param });
}

/** A call in the notation of this model family. */
function callText({ function: called } = {}) {
  return `<tool_call>\n{"name": ${JSON.stringify(called?.name)}, "arguments": ${called?.arguments}}\n</tool_call>`;
}
