// The requests of two recorded chats, from the first to the last, with each strategy and with none: tokens, the share of each
// request that a provider's cache has from the previous one, and the tokens that the summaries took.

import {
  Conversation,
  chunked,
  clearToolResults,
  countMessages,
  lastNMessages,
  manageHistory,
  retrieveFacts,
  wholeHistory,
} from "turnfold/chat";
import { recorded } from "../../tests/js/recorded-chats.mjs";

/** Parameters by the limit, which is half of the final length of a chat. */
const settings = {
  nothing: () => ({}),
  "maxTokens alone": (maxTokens) => ({ maxTokens }),
  "clearToolResults()": (maxTokens) => ({ maxTokens, compressionStrategy: clearToolResults() }),
  "lastNMessages(10)": (maxTokens) => ({ maxTokens, compressionStrategy: lastNMessages(10) }),
  "chunked(10)": (maxTokens) => ({ maxTokens, compressionStrategy: chunked(10) }),
  "wholeHistory()": (maxTokens) => ({ maxTokens, compressionStrategy: wholeHistory() }),
  "retrieveFacts() of two": (maxTokens) => ({
    maxTokens,
    compressionStrategy: retrieveFacts([{ name: "task" }, { name: "findings" }]),
  }),
  "clearToolResults(), lastNMessages(10)": (maxTokens) => ({
    maxTokens,
    compressionStrategy: [clearToolResults(), lastNMessages(10)],
  }),
  "lastNMessages(10) on every request": () => ({ compressionStrategy: lastNMessages(10) }),
};

/** Without the coding agent's chat, most of which is one long exchange. */
const chats = recorded.filter(({ name }) => name !== "coding");

const textOf = (messages) => JSON.stringify(messages.map(({ role, content, toolCalls }) => [role, content, toolCalls]));

function sharedLength(left, right) {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

/** The requests of the chat, with the history managed before each. */
async function replay({ conversation, summaries }, parameters) {
  const took = { requests: 0, sent: 0, max: 0, length: 0, known: 0, calls: 0, asked: 0 };
  // Every summary is a different text, as from a model, a quarter as long as the messages that it replaces.
  const llm = ({ messages }) => {
    took.calls++;
    took.asked += countMessages(messages).total;
    const length = Math.min(600, messages.at(-1).content.length / 4);
    return `${took.calls}. ${summaries.wholeHistory.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}`;
  };
  let history = new Conversation();
  let before = "";
  for (const message of conversation.messages) {
    if (message.role === "assistant") {
      ({ conversation: history } = await manageHistory(history, parameters, { llm, onWarning: () => {} }));
      const { total } = countMessages(history.messages);
      const text = textOf(history.messages);
      took.requests++;
      took.sent += total;
      took.max = Math.max(took.max, total);
      if (before !== "") {
        took.length += text.length;
        took.known += sharedLength(before, text);
      }
      before = text;
    }
    history = history.append(message);
  }
  return took;
}

const rows = [];
for (const [setting, parametersOf] of Object.entries(settings)) {
  const sum = { sent: 0, max: 0, length: 0, known: 0, calls: 0, asked: 0 };
  for (const chat of chats) {
    const max = Math.floor(countMessages(chat.conversation.messages).total / 2);
    const took = await replay(chat, parametersOf(max));
    for (const name of Object.keys(sum)) {
      sum[name] = name === "max" ? Math.max(sum.max, took.max) : sum[name] + took[name];
    }
  }
  rows.push({
    setting,
    "tokens sent": sum.sent,
    "to nothing": (sum.sent / (rows[0]?.["tokens sent"] ?? sum.sent)).toFixed(2),
    "largest request": sum.max,
    "known from the request before": `${((100 * sum.known) / sum.length).toFixed(0)} %`,
    summaries: sum.calls,
    "tokens to summarise": sum.asked,
  });
}
console.log("\nTwo recorded chats, every request of each (estimate)");
console.table(rows);
