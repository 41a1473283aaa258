// A history in two forms: as the state of a link, and as turns of the package.

import { Turn, toMessages } from "turnfold";

/** Names are added at different places of the alphabet, so that messages also differ in the middle; text is not only ASCII. */
export const sample = {
  mission: "Grüße, 世界 👋: count what is there",
  tools: [{ name: "find", signature: "(query :string) -> [:any]", description: "Finds things" }],
  data: "{:budget 400}",
  signature: "() -> {total :int}",
  turns: [
    { program: "(def m 1)", memory: "{:m 1}", prints: ["m ist größer", "ready"] },
    { program: "(def a (first 1))", success: false, reason: "type", message: "first takes a collection" },
    { program: "(def a 2)", memory: "{:a 2}", prints: ["a is two"] },
    { program: "(def z 3)", memory: "{:z 3}", prints: ["世界 👋 and more", "世界 👋 and less"] },
  ],
};

/** The turns of a state whose memories are maps of whole numbers, written as Clojure text. */
export function turnsOf({ turns }) {
  const memory = {};
  return turns.map(({ program, memory: defined = "{}", prints = [], success = true, reason, message }, index) => {
    const own = Object.fromEntries([...defined.matchAll(/:(\w+) (\d+)/g)].map(([, name, value]) => [name, +value]));
    Object.assign(memory, own);
    const init = { number: index + 1, program, prints, memory: { ...memory }, defined: Object.keys(own) };
    return success ? Turn.success({ ...init, result: null }) : Turn.failure({ ...init, result: { reason, message } });
  });
}

export const optionsOf = ({ mission, tools = [], signature, data }, strategy = "single-user-coalesced") => ({
  mission,
  tools: Object.fromEntries(tools.map(({ name, signature, description }) => [name, { signature, description }])),
  ...(data === undefined ? {} : { data: { budget: 400 } }),
  ...(signature === undefined ? {} : { signature }),
  compression: strategy === "none" ? false : strategy,
});

/** The messages after `count` turns. */
export const messagesAfter = (state, count = state.turns.length, strategy = undefined, more = {}) =>
  toMessages(turnsOf(state).slice(0, count), null, { ...optionsOf(state, strategy), ...more }).messages;

export const tokensOf = (messages, counter) => messages.reduce((sum, { content }) => sum + counter.count(content), 0);

/** The whole number that a text begins with. */
export const numberIn = (text) => Number(/[\d,]+/.exec(text)[0].replaceAll(",", ""));

/** The common prefix of two lists of messages: the texts by message, and the bytes up to the first difference. */
export function sharedOf(before, now) {
  const texts = {};
  let bytes = 0;
  for (const [index, { role, content }] of now.entries()) {
    const old = before[index];
    if (old?.role !== role) return { texts, bytes, message: index, byte: 0, differs: old !== undefined };
    const [olds, news] = [Buffer.from(old.content), Buffer.from(content)];
    let byte = 0;
    while (byte < Math.min(olds.length, news.length) && olds[byte] === news[byte]) byte++;
    bytes += byte;
    // A text can't end within a character.
    const text = news
      .subarray(0, byte)
      .toString()
      .replace(/\uFFFD+$/, "");
    if (text !== "") texts[index] = text;
    if (!olds.equals(news)) return { texts, bytes, message: index, byte, differs: true };
  }
  return { texts, bytes, message: now.length, byte: 0, differs: false };
}
