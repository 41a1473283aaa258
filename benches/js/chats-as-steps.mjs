// Recorded chats as runs in turns: each message with calls is a turn whose program makes them and defines their results.

import { SubAgent } from "turnfold";

import { toClojure } from "turnfold/lisp";

const MAX_TURNS = 120;

/** The step of a chat; null when it has no calls. */
export async function stepOf(conversation) {
  const { messages } = conversation;
  const results = resultsOf(messages);
  const queue = [];
  const tools = {};
  const replies = [];
  for (const message of messages) {
    const calls = callsOf(message).filter(({ id }) => results.has(id));
    if (message.role !== "assistant" || calls.length === 0) continue;
    const forms = calls.map(({ id, name, args }) => {
      const tool = name.replace(/[^A-Za-z0-9_-]/g, "-");
      tools[tool] ??= () => queue.shift();
      queue.push(results.get(id));
      return `(def r${queue.length} (tool/${tool} ${toClojure(args).text}))`;
    });
    replies.push(`${textOf(message).replaceAll("```", "'''")}\n\`\`\`clojure\n${forms.join("\n")}\n\`\`\``);
    if (replies.length === MAX_TURNS) break;
  }
  if (replies.length === 0) return null;
  const question = messages.find(({ role }) => role === "user");
  const mission = (question === undefined ? "" : textOf(question)).slice(0, 3000).replaceAll("{{", "{ {");
  const left = [...replies, '```clojure\n(return "done")\n```'];
  const agent = new SubAgent({
    mission: mission || "Go on",
    tools,
    maxTurns: left.length + 1,
    llm: () => left.shift(),
  });
  return agent.run({});
}

const partsOf = ({ content }, kind) => (Array.isArray(content) ? content.filter(({ type }) => type === kind) : []);

const textOf = (message) =>
  typeof message.content === "string"
    ? message.content
    : partsOf(message, "text")
        .map(({ text }) => text)
        .join("\n");

function callsOf(message) {
  const parts = partsOf(message, "tool-call").map(({ toolCallId, toolName, input }) => {
    return { id: toolCallId, name: toolName, args: input };
  });
  return [...parts, ...(message.toolCalls ?? [])];
}

function resultsOf(messages) {
  const results = new Map();
  for (const message of messages) {
    if (message.toolCallId !== undefined) results.set(message.toolCallId, textOf(message));
    for (const { toolCallId, output } of partsOf(message, "tool-result")) {
      const { value = output } = Object(output);
      results.set(toolCallId, typeof value === "string" ? value : JSON.stringify(value));
    }
  }
  return results;
}
