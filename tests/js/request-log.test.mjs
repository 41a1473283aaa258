// Logs of requests: which requests are one chat, what begins another, and how much work and memory it takes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { readConversation } from "turnfold/audit";

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const long = (text) => `${text} ${"and so on ".repeat(10)}`;

let made = 0;
/** A record of a log: a request with these messages and a reply. */
const record = (messages, reply, more = {}) => ({
  request: { model: "m", messages },
  response: { id: `r${++made}`, choices: [{ message: typeof reply === "string" ? assistant(reply) : reply }] },
  ...more,
});
const read = (...records) => readConversation(records.map((one) => JSON.stringify(one)).join("\n")).chats;
const kinds = (chats) => chats.map(({ kind, requests }) => [kind, ...requests.map(({ messages }) => messages)]);

const question = user("Where is order 7?");
const first = [question];
const second = [question, assistant("In Leipzig."), user("Since when?")];

test("a request that has the messages of another one and its reply continues its chat", () => {
  const third = [...second, assistant("Since Monday."), user("Thanks.")];
  const records = [record(first, "In Leipzig."), record(second, "Since Monday."), record(third, "Welcome.")];
  const [chat, ...others] = read(...records);
  assert.deepEqual(kinds([chat, ...others]), [["chat", 1, 3, 5]]);
  assert.equal(chat.conversation.messages.length, 6);
  assert.deepEqual(kinds(read(records[0], records[2])), [["chat", 1, 5]]);
});

test("a text that clients add to the last message, or change in the first one, does not end a chat", () => {
  const reminded = [user("Where is order 7?\n<reminder>Be brief.</reminder>")];
  assert.deepEqual(kinds(read(record(reminded, "In Leipzig."), record(second, "Since Monday."))), [["chat", 1, 3]]);
  const later = [
    user("Today is Tuesday. Where is order 7?"),
    ...second.slice(1),
    assistant("Since Monday."),
    user("Why?"),
  ];
  assert.deepEqual(kinds(read(record(second, "Since Monday."), record(later, "Rain."))), [["chat", 3, 5]]);
});

test("a request that repeats another one, or has its beginning only, was taken back", () => {
  const other = [question, assistant("In Leipzig."), user("Who sent it?")];
  assert.deepEqual(kinds(read(record(first, "In Leipzig."), record(first, "In Bonn."))), [
    ["chat", 1],
    ["rewound", 1],
  ]);
  assert.deepEqual(kinds(read(record(first, "In Leipzig."), record(second, "Monday."), record(other, "Ann."))), [
    ["chat", 1, 3],
    ["rewound", 3],
  ]);
});

test("examples that requests have in common do not join them", () => {
  const examples = [user("a"), assistant("vowel")];
  const requests = ["b", "c"].map((letter) => record([...examples, user(letter)], "consonant"));
  assert.deepEqual(kinds(read(...requests)), [
    ["chat", 3],
    ["chat", 3],
  ]);
});

test("a history that was edited, or begins anew in a session, is compacted", () => {
  const result = long("The order has left the house");
  const whole = [question, assistant(long("I look it up")), user(result)];
  const edited = [...whole.slice(0, 2), user("[cleared]"), assistant(long("It is on its way")), user("Thanks.")];
  assert.deepEqual(kinds(read(record(whole, long("It is on its way")), record(edited, "Welcome."))), [
    ["chat", 3],
    ["compacted", 5],
  ]);
  const kept = [user("Summary: the user asked for order 7."), user(result)];
  assert.deepEqual(kinds(read(record(whole, "Yes."), record(kept, "Go on."))), [
    ["chat", 3],
    ["compacted", 2],
  ]);
  const prompt = { role: "system", content: "You help." };
  const inSession = (id) => [
    record([prompt, ...whole], "Yes.", { session_id: "s" }),
    record([prompt, user("Summary.")], "Go on.", { session_id: id }),
  ];
  assert.deepEqual(kinds(read(...inSession("s")))[1], ["compacted", 2]);
  assert.deepEqual(kinds(read(...inSession("t")))[1], ["chat", 2]);
});

test("in a session, another system prompt is that of a sub-agent; a changed date is not", () => {
  const prompt = (...lines) => ({ role: "system", content: lines.join("\n") });
  const main = prompt("You are an engineer.", "Be brief.", "Today is Monday.");
  const next = prompt("You are an engineer.", "Be brief.", "Today is Tuesday.");
  const agent = [prompt("You find files."), user("Find it.")];
  const chats = read(
    record(agent, "a.js", { session_id: "s" }),
    record([main, ...first], "In Leipzig.", { session_id: "s" }),
    record([next, ...second], "Since Monday.", { session_id: "s" }),
  );
  assert.deepEqual(kinds(chats), [
    ["chat", 2, 4],
    ["agent", 2],
  ]);
});

test("requests without a reply count only where none has one; failed ones never do", () => {
  const pending = { url: "https://api.openai.com/v1/chat/completions", request: { model: "m", messages: second } };
  assert.deepEqual(kinds(read(record(first, "In Leipzig."), pending)), [["chat", 1]]);
  assert.deepEqual(kinds(read(pending)), [["chat", 1]]);
  const failed = { ...pending, status: 500, response: { error: { message: "overloaded" } } };
  assert.deepEqual(kinds(read(failed, record(first, "In Leipzig."))), [["chat", 1]]);
});

test("a stream that is cut off gives what arrived", () => {
  const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
  const begun = event({
    type: "message_start",
    message: { id: "m1", role: "assistant", model: "c", usage: { input_tokens: 5 } },
  });
  const block = event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const text = event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "In Lei" } });
  const response = { body: `${begun}${block}${text}data: {"type":"content_blo` };
  const [{ conversation, requests }] = read({ request: { body: { model: "c", messages: first } }, response });
  assert.deepEqual(conversation.messages.at(-1).content, [{ type: "text", text: "In Lei" }]);
  assert.deepEqual([requests[0].id, requests[0].model, requests[0].usage.fresh], ["m1", "c", 5]);
});

test("thousands of requests that have nothing in common are read in linear time", () => {
  const records = (count) => Array.from({ length: count }, (_, index) => record([user(long(`Mail ${index}`))], "spam"));
  const time = (list) => {
    const start = process.cpuUsage();
    assert.equal(readConversation(list).chats.length, list.length);
    return process.cpuUsage(start).user;
  };
  time(records(500));
  const [few, many] = [time(records(1000)), time(records(8000))];
  assert.ok(many < 24 * few, `${few} µs for 1000 requests, ${many} µs for 8000`);
});

test("a log in which each request has the whole history needs the memory of the last ones", () => {
  const program = `
    import { readRecording } from "turnfold/audit";
    async function* pieces() {
      const messages = [];
      for (let index = 0; index < 200; index++) {
        messages.push({ role: "user", content: "Why? ".repeat(500) + index });
        const message = { role: "assistant", content: "So. ".repeat(100) + index };
        yield JSON.stringify({ request: { model: "m", messages }, response: { choices: [{ message }] } }) + "\\n";
        messages.push(message);
      }
    }
    const counts = [];
    for await (const { requests } of readRecording(pieces()).chats) counts.push(requests.length);
    console.log(counts.join());
  `;
  const options = ["--max-old-space-size=32", "--input-type=module", "--eval", program];
  const output = execFileSync(process.execPath, options, { encoding: "utf8", cwd: new URL("../..", import.meta.url) });
  assert.equal(output.trim(), "200");
});
