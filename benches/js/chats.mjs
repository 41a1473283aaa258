// Long histories for the benchmarks, cut out of the recorded conversations.

import { recorded } from "../../tests/js/recorded-chats.mjs";

/** Maximum number of characters of a message. */
const LONGEST = 700;

/** The texts of the recorded conversations, and the results of tools. */
const [said, given] = [false, true].map((byTools) =>
  recorded
    .flatMap(({ conversation }) => conversation.messages)
    .flatMap(({ content, toolCallId }) =>
      typeof content === "string"
        ? [[toolCallId !== undefined, content]]
        : (content ?? []).map((part) => [part.type === "tool-result", textOf(part)]),
    )
    .filter(([ofTool, text]) => ofTool === byTools && text !== "")
    .map(([, text]) => text)
    .join("\n"),
);

function textOf({ type, text, output }) {
  if (type === "text") return text;
  return typeof output === "string" ? output : JSON.stringify(output ?? "");
}

/** Numbers from 0 to 1, the same every time. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A history of `length` messages, as plain data: a system message, questions and answers of up to 700 characters, and, in
 * every second exchange, one or two tools called with their results.
 */
export function history(length) {
  const next = random(length);
  const cut = (source) => {
    const size = 20 + Math.floor(next() * (LONGEST - 20));
    const start = Math.floor(next() * (source.length - size));
    return source.slice(start, start + size).toWellFormed();
  };
  const messages = [{ role: "system", content: "You help, briefly and exactly." }];
  for (let exchange = 0; messages.length < length; exchange++) {
    messages.push({ role: "user", content: cut(said) });
    if (exchange % 2 === 1) {
      const calls = Array.from({ length: 1 + (exchange % 4 === 3) }, (_, call) => ({
        id: `call_${exchange}_${call}`,
        name: call === 0 ? "read_file" : "search",
        args: { path: `src/part-${exchange}.ts`, limit: exchange % 50 },
      }));
      messages.push({ role: "assistant", content: "", toolCalls: calls });
      for (const { id } of calls) messages.push({ role: "tool", toolCallId: id, content: cut(given) });
    }
    messages.push({ role: "assistant", content: cut(said) });
  }
  // The history is not cut within an exchange, so it may be a little longer.
  return messages;
}
