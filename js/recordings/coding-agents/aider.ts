import { openai } from "../../formats/openai-format.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedUsage, usageOfCounts } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  chatsOfMessages,
  type RecordedMessage,
  reasoningPart,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";
import { chatsOfRequests, type LoggedRequest } from "../traces/request-log.ts";

const START = /^# aider chat started at .*$/m;
const LOGGED = /^(?=TO LLM \d{4}-\d\d-\d\dT\S+\n-{7}\n)/m;

/** Reads `.aider.chat.history.md`, which has the chats of a folder, and `.aider.llm.history`, which has what was sent. */
export const aiderReader: RecordingReader = {
  format: "aider",
  recognizes: (given) => typeof given === "string" && (START.test(given) || LOGGED.test(given)),
  read: (text: string) =>
    START.test(text)
      ? chatsOfMessages(text.split(START).slice(1).map(fromChat))
      : chatsOfRequests(
          text
            .split(LOGGED)
            .filter((part) => LOGGED.test(part))
            .map(fromLog),
        ),
};

/** A thought of a reply, under a name that only Aider uses. */
const THOUGHT = /<(thinking-content-\w+)>\s*([\s\S]*?)\s*<\/\1>\s*/g;

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
    // What a command such as `/ask` sends follows it as a question of its own.
    const question = asked.join("\n").trim();
    if (question !== "" && !/^[/!]/.test(question)) messages.push(userMessage(question));
    asked = [];
  };
  const reply = (usage?: RecordedUsage) => {
    const whole = answer.join("\n");
    const thoughts = [...whole.matchAll(THOUGHT)].map(([, , thought = ""]) => reasoningPart(thought));
    const spoken = whole.replace(THOUGHT, "").trim();
    const parts = spoken === "" ? thoughts : [...thoughts, textPart(spoken)];
    messages.push(...assistantMessages(parts).map((one) => ({ ...one, model, usage })));
    answer = [];
  };
  // With counts of the cache, the cost has a line of its own.
  for (const line of text.replace(/^(> Tokens: .*)\r?\nCost: /gm, "$1 Cost: ").split(/\r?\n/)) {
    if (ofUser.test(line)) {
      reply();
      asked.push(line.slice(5).trimEnd());
      continue;
    }
    ask();
    if (!ofProgram.test(line)) answer.push(line);
    else if (/^> Tokens: /.test(line)) reply(usageIn(line));
    else model = /^> (?:Main model|Model): (\S+)/.exec(line)?.[1] ?? model;
  }
  ask();
  reply();
  return messages;
}

/** Reads a request and its reply, each line of which begins with its role. */
function fromLog(text: string): LoggedRequest {
  const [sent = "", answer = ""] = text.split(/^LLM RESPONSE .*\n/m);
  const messages = sent
    .split(/^-{7}\n/m)
    .slice(1)
    .map(fromLogged);
  const reply = fromLogged(answer);
  reply.content = reply.content.replace(THOUGHT, "").trim();
  return {
    sent: openai.from(messages).messages,
    reply: reply.content === "" ? [] : openai.from([reply]).messages,
    at: / (\S+)/.exec(text.split("LLM RESPONSE").at(-1) ?? "")?.[1],
  };
}

function fromLogged(text: string): { role: "user" | "assistant" | "system"; content: string } {
  const name = /^\w+/.exec(text)?.[0] ?? "USER";
  const lines = text.trimEnd().replace(new RegExp(`^${name} ?`, "gm"), "");
  // Of a list of content, each member has a line, and those after the first of a text do not begin with the role.
  const content = lines.replace(/^type: text\ntext: ([\s\S]*?)(?:\ncache_control: .*)?$/, "$1");
  return { role: name.toLowerCase() as "user", content };
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
    // What was written is counted twice in what was sent.
    fresh: Math.max(0, Math.round(count("sent") - 2 * written - read)),
    read,
    written,
    output: count("received"),
    ...(dollars === undefined ? {} : { dollars: Number(dollars) }),
  });
}
