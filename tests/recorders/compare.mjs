// Compares what a recording says with what a server was asked and billed.

import { readConversation } from "turnfold/audit";

/** The texts, calls and results of messages, in their order. */
function partsOf(messages) {
  return messages.flatMap(({ role, content, toolCalls = [], toolCallId }) => {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    if (toolCallId !== undefined) return [{ kind: "result", id: toolCallId, text: textOf(content) }];
    return [
      ...parts.flatMap((part) => {
        if (part.type === "text") return part.text.trim() === "" ? [] : [{ kind: role, text: part.text }];
        if (part.type === "agent_message") return [{ kind: role, text: part.content.map(textOrJSON).join("\n") }];
        if (part.type === "tool-call") return [callOf(part.toolCallId, part.toolName, part.input)];
        if (part.type === "tool-result") return [{ kind: "result", id: part.toolCallId, text: textOf(part.output) }];
        return [];
      }),
      ...toolCalls.map(({ id, name, args }) => callOf(id, name, args)),
    ];
  });
}

const textOrJSON = ({ text, ...part }) => text ?? JSON.stringify(part);

const callOf = (id, name, args) => ({
  kind: "call",
  id,
  text: `${name} ${JSON.stringify(typeof args === "string" ? (parsed(args) ?? args) : args)}`,
});

/** True for a call to which the program has added arguments, which it also sends back so. */
function isCompleted(part, id, name, args) {
  if (part.kind !== "call" || part.id !== id || !part.text.startsWith(`${name} {`)) return false;
  const recorded = parsed(part.text.slice(name.length + 1));
  return Object.entries(args).every(([key, value]) => JSON.stringify(recorded?.[key]) === JSON.stringify(value));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** All texts within a value. */
function textOf(value) {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .filter(([name]) => name !== "type")
    .map(([, inner]) => textOf(inner))
    .join("\n");
}

const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** The history of a request, as messages. */
export function historyOf(body) {
  const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
  const [{ conversation }] = readConversation(JSON.stringify({ ...body, ...(input && { input }) })).chats;
  return withoutPrompt(conversation.messages);
}

/** Messages without those of the system that they begin with, which most recordings don't have. */
const withoutPrompt = (messages) =>
  messages.slice(messages.findIndex(({ role }) => role !== "system" && role !== "developer"));

/**
 * What a recording of a request has differently from its body: calls and results that one of them lacks, in their order, and
 * recorded texts that were not sent. A program may send more texts than it records, such as reminders; not a `complete` one.
 */
export function historyDifferences(sent, recorded, { isPartial = false, isComplete = false } = {}) {
  const differences = [];
  const [asked, kept] = [partsOf(sent), partsOf(recorded)];
  for (const kind of ["call", "result"]) {
    const [left, right] = [asked, kept].map((parts) => parts.filter((part) => part.kind === kind));
    if (isPartial) left.splice(0, left.length - right.length);
    if (left.length !== right.length) {
      differences.push(`${left.length} ${kind}s were sent, ${right.length} are recorded`);
      continue;
    }
    for (const [index, part] of left.entries()) {
      const other = right[index].text;
      const isSame = kind === "call" ? part.text === other : part.text.includes(other.trim());
      if (!isSame)
        differences.push(`${kind} ${index + 1} was sent as ${short(part.text)} and is recorded as ${short(other)}`);
    }
  }
  const texts = asked.map(({ text }) => text).join("\n");
  for (const { kind, text } of kept) {
    if ((kind === "user" || kind === "assistant") && !texts.includes(text.trim()))
      differences.push(`a recorded text of the ${kind} was not sent: ${short(text)}`);
  }
  const known = kept.map(({ text }) => text).join("\n");
  for (const { kind, text } of isComplete ? asked : []) {
    if (!known.includes(text.trim()))
      differences.push(`a text of the ${kind} was sent and not recorded: ${short(text)}`);
  }
  const said = (parts, kind) => parts.filter((part) => part.kind === kind).length;
  if (!isPartial && said(asked, "assistant") > said(kept, "assistant"))
    differences.push(
      `${said(asked, "assistant")} texts of the assistant were sent, ${said(kept, "assistant")} are recorded`,
    );
  return differences;
}

/** True if the counts are the same, within `within` tokens; `input` is the sum of those of the input. */
const same = (left, right, counts, within) =>
  counts.every((name) => Math.abs(countOf(left, name) - countOf(right, name)) <= within);

export const countOf = (usage, name) => (name === "input" ? usage.fresh + usage.read + usage.written : usage[name]);

/**
 * What recordings say differently from the requests of a server, as sentences.
 *
 * @param options.counts the members of usage that this program records; `input` is the sum of those of the input.
 * @param options.partial `usage` or `time`, where it is not recorded for every request; requests without usage are paired in their
 * order. `history`, where its beginning is not recorded, or what the program itself writes into it, such as examples.
 * @param options.within the tokens by which counts may differ, where they are rounded.
 * @param options.known the differences that the program itself makes, each as a pattern that at least one must match.
 * @param options.complete true if everything that was sent is recorded.
 */
export function differences(
  recordings,
  requests,
  { counts = ["fresh", "read", "written", "output"], partial = [], within = 0, known = [], complete = false } = {},
) {
  const problems = [];
  const found = [];
  for (const { file, recording } of recordings) {
    for (const warning of recording.warnings) problems.push(`${file}: ${JSON.stringify(warning)}`);
    for (const { kind, conversation, requests: recorded } of recording.chats) {
      for (const request of recorded) found.push({ file, kind, conversation, request, isFound: false });
    }
  }
  for (const [index, { body, reply, aside }] of requests.entries()) {
    const name = `request ${index + 1}${aside ? " (aside)" : ""}`;
    const entry =
      found.find(({ request, isFound }) => !isFound && request.id !== undefined && request.id === reply.id) ??
      found.find(
        ({ request, isFound }) => !isFound && request.usage && same(request.usage, reply.usage, counts, within),
      ) ??
      (partial.includes("usage") && !aside
        ? found.find(({ request, isFound }) => !isFound && !request.usage)
        : undefined);
    if (entry === undefined) {
      if (!aside && reply.isRecorded !== false)
        problems.push(`${name} is not recorded (${JSON.stringify(reply.usage)})`);
      continue;
    }
    entry.isFound = true;
    const { request, conversation } = entry;
    // The program has not seen the end of it.
    const isCut = reply.after !== undefined;
    if (request.usage === undefined) {
      if (!partial.includes("usage")) problems.push(`${name} is recorded without usage`);
    } else if (!same(request.usage, reply.usage, isCut ? counts.filter((count) => count !== "output") : counts, within))
      problems.push(
        `${name} was billed ${JSON.stringify(reply.usage)} and is recorded as ${JSON.stringify(request.usage)}`,
      );
    if (request.model !== undefined && !request.model.includes(body.model))
      problems.push(`${name} went to ${body.model} and is recorded as one to ${request.model}`);
    if (request.at === undefined && !partial.includes("time")) problems.push(`${name} has no time`);
    const kept = withoutPrompt(conversation.messages.slice(0, request.messages));
    const limits = { isPartial: partial.includes("history"), isComplete: complete };
    for (const difference of historyDifferences(historyOf(body), kept, limits)) problems.push(`${name}: ${difference}`);
    const answer = partsOf([conversation.messages[request.messages] ?? { role: "assistant", content: "" }]);
    for (const [id, given, args] of partial.includes("calls") ? [] : reply.calls) {
      const called = given.split(".").at(-1);
      const text = `${called} ${JSON.stringify(args)}`;
      if (!answer.some((part) => part.text === text || isCompleted(part, id, called, args)))
        problems.push(`${name}: the call ${short(text)} is not in the recorded reply`);
    }
    if (reply.text && !aside && !isCut && !answer.some((part) => part.text.includes(reply.text)))
      problems.push(`${name}: the text ${short(reply.text)} is not in the recorded reply`);
  }
  for (const { file, kind, request, isFound } of found) {
    // A session may begin with a copy of another one.
    const isCopy = found.some((one) => one.isFound && request.id !== undefined && one.request.id === request.id);
    if (!isFound && !isCopy)
      problems.push(`${file}: a recorded request (${kind}, ${JSON.stringify(request)}) was never made`);
  }
  const missing = known.filter((pattern) => !problems.some((problem) => pattern.test(problem)));
  return [
    ...problems.filter((problem) => !known.some((pattern) => pattern.test(problem))),
    ...missing.map((pattern) => `the difference ${pattern} is known, and is there no more`),
  ];
}
