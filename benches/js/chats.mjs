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

const WORDS = ["config", "parser", "session", "token", "handler", "request", "cache", "index", "worker", "schema"];

/** Results of about `size` characters, by their kinds; `seed` makes the names in them differ. */
export function results(size, seed = 0) {
  const next = random(seed + 1);
  const word = () => WORDS[Math.floor(next() * WORDS.length)];
  const name = () => `${word()}_${word()}_${Math.floor(next() * 1000)}`;
  const file = () => `src/${word()}/${word()}-${Math.floor(next() * 100)}.ts`;
  const number = (max) => Math.floor(next() * max);
  const filled = (line) => {
    const lines = [];
    for (let length = 0; length < size; length += lines.at(-1).length + 1) lines.push(line(lines.length));
    return lines.join("\n");
  };
  let hits = file();
  const record = (id) => ({ id, name: name(), file: file(), size: number(9000), isOpen: number(2) === 1, note: null });
  return {
    records: JSON.stringify(
      Array.from({ length: Math.ceil(size / 190) }, (_, id) => record(id)),
      null,
      2,
    ),
    log: filled((n) => `2026-11-02T10:${10 + (n % 50)}:07 INFO ${file()} served ${name()} in ${number(900)} ms`),
    build: filled((n) =>
      n % 6 === 5
        ? `error[E0${number(500)}]: cannot find ${name()}`
        : `\x1b[32mCompiling\x1b[0m ${name()} v0.${number(9)}.1`,
    ),
    code: filled((n) => `${String(n + 1).padStart(6)}→  const ${name()} = await ${name()}(${word()}, ${number(99)});`),
    search: filled((n) => {
      if (n % 5 === 0) hits = file();
      return `${hits}:${number(400)}:export function ${name()}(${word()}) {`;
    }),
    listing: filled(() => `./${file()}`),
    diff: `diff --git a/x.ts b/x.ts\n${filled((n) => `${n % 3 === 0 ? "-" : "+"}  return ${name()}.${word()}(${number(99)});`)}`,
    prose: filled(() =>
      said
        .slice(number(said.length - 200))
        .slice(0, 200)
        .replace(/\s+/g, " ")
        .toWellFormed(),
    ),
  };
}

/**
 * The messages of an agent with `rounds` rounds of one call and its result of about `size` characters, as plain data; a
 * question before every tenth.
 */
export function session(rounds, size = 6000) {
  const messages = [{ role: "system", content: "You help, briefly and exactly." }];
  for (let round = 0; round < rounds; round++) {
    if (round % 10 === 0)
      messages.push({ role: "user", content: `Look at part ${round} and say what is wrong in it.` });
    const all = Object.entries(results(size, round));
    const [kind, content] = all[round % all.length];
    const call = {
      id: `call_${round}`,
      name: `run_${kind}`,
      args: { command: `${kind} src/part-${round}.ts`, limit: 50 },
    };
    messages.push({ role: "assistant", content: `I look at part ${round}.`, toolCalls: [call] });
    messages.push({ role: "tool", toolCallId: call.id, content });
    if (round % 10 === 9)
      messages.push({ role: "assistant", content: `Part ${round} is wrong where it reads the cache.` });
  }
  return messages;
}
