// Three recorded conversations, with summaries written by hand: a customer's failed order (OpenAI's messages), a coding agent
// (Anthropic's messages), and research in German (this package's own messages, with times).

import { readFileSync } from "node:fs";
import { Conversation } from "turnfold";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";

function read(name) {
  return JSON.parse(readFileSync(new URL(`../chats/recorded/${name}.json`, import.meta.url), "utf8"));
}

function chat(name, from, backAndForth) {
  const given = read(name);
  return { name, given, conversation: from(given), summaries: read(`${name}.summaries`), backAndForth };
}

export const recorded = [
  chat(
    "support",
    ({ messages }) => openai.from(messages),
    (conversation) => openai.from(openai.to(conversation)),
  ),
  chat(
    "coding",
    ({ system, messages }) => anthropic.from({ system, messages }),
    (conversation) => anthropic.from(anthropic.to(conversation)),
  ),
  chat(
    "research",
    ({ messages }) => new Conversation({ messages }),
    (conversation) => Conversation.fromJSON(JSON.stringify(conversation)),
  ),
];
