// A planned chat, a signature and an error; every host must print what Node prints.

import { Conversation, clearToolResults, planHistory, TurnfoldError } from "turnfold/chat";
import { openai } from "turnfold/formats/openai";
import { parseSignature } from "turnfold/predict/slim";

export function text() {
  const conversation = new Conversation({
    messages: [
      { role: "user", content: "Найди лампы" },
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "search", args: { query: "lamp" } }] },
      { role: "tool", toolCallId: "a", toolName: "search", content: "a long result ".repeat(100) },
      { role: "assistant", content: "There are two." },
      { role: "user", content: "And chairs?" },
    ],
  });
  const { outcome, tokens } = planHistory(conversation, {
    compressionStrategy: clearToolResults({ keep: 0 }),
    minMessages: 0,
  });
  const roles = openai.to(conversation).map(({ role }) => role);
  const { value } = parseSignature("-> {name :string, price :float}").coerce({ name: "Desk lamp", price: "42.75" });
  const [first] = new Conversation({ messages: conversation.messages }).messages;
  const isShared = first === conversation.messages[0] ? "shared" : "copied";
  return [
    outcome,
    `${tokens.before} ${tokens.after}`,
    isShared,
    roles,
    JSON.stringify(value),
    refusal(conversation),
  ].join("; ");
}

function refusal(conversation) {
  try {
    return planHistory(conversation, { maxTokens: -1 }).outcome;
  } catch (error) {
    return TurnfoldError.isInstance(error) ? error.code : String(error);
  }
}
