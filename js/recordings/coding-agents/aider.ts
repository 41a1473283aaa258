import type { RecordingReader } from "../reader.ts";
import { type RecordedUsage, usageOfCounts } from "../recorded-chat.ts";
import {
  assistantMessages,
  chatsOfMessages,
  type RecordedMessage,
  textPart,
  userMessage,
} from "../recorded-message.ts";

const START = /^# aider chat started at .*$/m;

/** Reads `.aider.chat.history.md`, which has the chats of a folder. */
export const aiderReader: RecordingReader = {
  format: "aider",
  recognizes: (given) => typeof given === "string" && START.test(given),
  read: (text: string) => chatsOfMessages(text.split(START).slice(1).map(fromChat)),
};

/** Commands whose text is sent. */
const SENT_COMMAND = /^\/(?:ask|code|architect|context)\s+/;

/** Reads a chat: lines of the user begin with `####`, those of the program with `>`; both end with two spaces. */
function fromChat(text: string): RecordedMessage[] {
  // Answers may have headings and quotations, without the spaces. Editors may have removed these.
  const end = /^####.* {2}$/m.test(text) ? " {2}$" : "";
  const ofUser = new RegExp(`^#### (.*?)${end}`);
  const ofProgram = new RegExp(`^> .*${end}`);
  const messages: RecordedMessage[] = [];
  let model: string | undefined;
  let asked: string[] = [];
  let answer: string[] = [];
  const ask = () => {
    const question = asked.join("\n").trim();
    const sent = question.replace(SENT_COMMAND, "");
    if (sent !== "" && (sent !== question || !/^[/!]/.test(question))) messages.push(userMessage(sent));
    asked = [];
  };
  const reply = (usage?: RecordedUsage) => {
    const spoken = answer.join("\n").trim();
    const parts = spoken === "" ? [] : [textPart(spoken)];
    messages.push(...assistantMessages(parts).map((one) => ({ ...one, model, usage })));
    answer = [];
  };
  for (const line of text.split(/\r?\n/)) {
    if (ofUser.test(line)) {
      reply();
      asked.push(line.slice(5).trimEnd());
      continue;
    }
    if (line.trim() !== "") ask();
    if (!ofProgram.test(line)) answer.push(line);
    else if (/^> Tokens: /.test(line)) reply(usageIn(line));
    else model = /^> (?:Main model|Model): (\S+)/.exec(line)?.[1] ?? model;
  }
  ask();
  reply();
  return messages;
}

/** The usage in a line such as `> Tokens: 12k sent, 3k cache hit, 850 received. Cost: $0.02 message, $0.10 session.` */
function usageIn(line: string): RecordedUsage | undefined {
  const count = (name: string) => {
    const [, number, unit] = new RegExp(`([\\d.,]+)(k|M)? ${name}`).exec(line) ?? [];
    return Number((number ?? "0").replace(/,/g, "")) * (unit === "M" ? 1e6 : unit === "k" ? 1e3 : 1);
  };
  const [written, read] = [count("cache write"), count("cache hit")];
  const [, dollars] = /\$([\d.]+) message/.exec(line) ?? [];
  return usageOfCounts({
    fresh: Math.max(0, Math.round(count("sent") - written - read)),
    read,
    written,
    output: count("received"),
    ...(dollars === undefined ? {} : { dollars: Number(dollars) }),
  });
}
