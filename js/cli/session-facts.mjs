// What is kept of each session: much less than its audit, so that thousands of them take little memory.

import { recordingFormats } from "turnfold/audit";

const MAX_TITLE = 120;

/** Instructions and facts that coding agents put before the first question. */
const NO_QUESTION = /^\s*(?:<|# AGENTS\.md|Caveat:)/;

/** The title that a recording has, or the beginning of the first question; null without both. */
function titleOf(chats) {
  const own = chats.find(({ title, kind }) => title !== undefined && kind !== "agent")?.title;
  const asked = chats[0].conversation.messages.filter(({ role }) => role === "user").map(textOf);
  const words = (own ?? asked.find((text) => !NO_QUESTION.test(text)) ?? asked[0] ?? "").replace(/\s+/g, " ").trim();
  if (words === "") return null;
  return words.length > MAX_TITLE ? `${words.slice(0, MAX_TITLE - 1)}…` : words;
}

function textOf({ content }) {
  return typeof content === "string" ? content : (content.find(({ type }) => type === "text")?.text ?? "");
}

/** The name of the tool that writes a format: “Claude Code”. */
const toolOf = (format) => recordingFormats[format].replace(/^an? \w+ of /, "");

/** What a recording says without an audit. */
export function factsOf({ format, chats }) {
  const requests = chats.flatMap((chat) => chat.requests);
  const counts = new Map();
  for (const { model } of requests) if (model !== undefined) counts.set(model, (counts.get(model) ?? 0) + 1);
  const models = [...counts].sort(([, one], [, other]) => other - one).map(([model]) => model);
  const times = requests.flatMap(({ at }) => at ?? []);
  const [first, last] = times.length === 0 ? [null, null] : [Math.min(...times), Math.max(...times)];
  return { tool: toolOf(format), title: titleOf(chats), models, requests: requests.length, first, last };
}

/** What the recommended strategy would have saved, as lists show it; null for nothing. Without a price, `dollars` is null. */
export function savingOf({ unit, recommendation: { code, saved }, strategies: [none] }) {
  return code === null ? null : { code, share: saved / none.cost, dollars: unit === "dollars" ? saved : null };
}
