// What the forms in which results of tools are first sent save, by kinds of results, and what they keep: every single result alone
// behind its call. `npm run bench -- results FOLDER` takes the results from the recordings in a folder, without a folder from the
// recorded chats of the tests.
//
//   --each N            at most N results of a kind; default 25
//   --parameters JSON   default {"arrival":"lossless"}
//   --show KIND         prints the results of a kind before and after
//   --headroom FOLDER   also measures headroom-ai, which `pip install --target FOLDER headroom-ai` has installed
//
// longest: the largest share of the tokens of a result that remains. names, lines: of the names in the results, and of their lines
// of 20 characters and more, the share that remains readable; a record is no line of a table. ms: per 10,000 tokens.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { Conversation, TurnfoldError } from "turnfold/audit";
import { manageHistory } from "turnfold/chat";
import { o200k } from "turnfold/tokens/o200k";
import { linesOf, namesOf, Text } from "./worth/measure.mjs";
import { sessionsIn } from "./worth/sessions.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    each: { type: "string", default: "25" },
    parameters: { type: "string", default: '{"arrival":"lossless"}' },
    show: { type: "string" },
    headroom: { type: "string" },
  },
});

/** Minimum tokens of a result. */
const SHORTEST = 200;

const { count } = await o200k();

/** The share of the lines of a text that match. */
const share = (text, pattern) => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.filter((line) => pattern.test(line)).length / Math.max(1, lines.length);
};

function isRecords(text) {
  const isList = (value) =>
    Array.isArray(value) ? value.length > 2 && value.every((item) => Object(item) === item) : Object(value) === value;
  try {
    const data = JSON.parse(text);
    return (
      isList(data) && (Array.isArray(data) || Object.values(data).some((item) => Array.isArray(item) && isList(item)))
    );
  } catch {
    return false;
  }
}

/** The kinds in the order in which they are tried. */
const KINDS = {
  records: isRecords,
  diffs: (text) => /^(?:diff --git |@@ -\d)/m.test(text) && share(text, /^[-+]/) > 0.05,
  search: (text) => share(text, /^[^\s:]*[./][^\s:]*[:-]\d+[:-]/) > 0.6,
  listing: (text) =>
    share(text, /^(?:[-dl][rwx-]{9}[.@+]?\s.*|\s*(?:\.{0,2}\/)?[\w.@+[\]()-]+(?:\/[\w.@+[\]()-]*)*)$/) > 0.7,
  "logs with times": (text) => share(text, /^\W{0,2}(?:\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d)/) > 0.4,
  "logs with levels": (text) => share(text, /^\W{0,3}(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|level=)\b/i) > 0.2,
  build: (text) =>
    share(
      text,
      /^\s*(?:Compiling|Download(?:ing|ed)|Checking|Finished|PASS|FAIL|ok\b|not ok\b|[✓✔✗✘×]|npm |=== RUN|--- |error|warning|#\d+ |\S+ \.\.\. ok)/,
    ) > 0.2,
  code: (text, path) =>
    share(text, /^\s*\d+[→\t|]/) > 0.7
      ? !/\.(?:md|mdx|txt|rst)$/.test(path)
      : /\.(?:tsx?|jsx?|mjs|go|rs|py|php|cs?|h|java|kt|rb|sh)\b/.test(path) && share(text, /[{}();=]\s*$/) > 0.2,
  prose: (text) => share(text, /(?:\p{L}+[ ,]+){7,}/u) > 0.3,
};

/** A text without the escapes of JSON and of terminals, behind which a name begins. */
const plain = (text) => stripVTControlCharacters(text).replace(/\\[nrt]/g, "\n");

/** The results by kind, each text once, in an order that does not depend on their sessions. */
const found = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, new Map()]));
for (const [, read] of sessionsIn(positionals[0])) {
  const calls = new Map();
  for (const { toolCalls = [], toolCallId, content } of read()) {
    for (const call of toolCalls) calls.set(call.id, call);
    const call = calls.get(toolCallId);
    if (call === undefined || typeof content !== "string" || content.length < 2 * SHORTEST) continue;
    const kind = Object.keys(KINDS).find((kind) => KINDS[kind](content, JSON.stringify(call.args)));
    if (kind !== undefined && count(content) >= SHORTEST) found[kind].set(content, call);
  }
}
const hash = (text) => {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  return value;
};
const chosen = (results) =>
  [...results].sort(([left], [right]) => hash(left) - hash(right)).slice(0, Number(values.each));

const results = Object.entries(found).flatMap(([kind, results]) =>
  chosen(results).map(([content, call]) => ({ kind, content, call })),
);

/** Returns what is sent of each result with the parameters, and the milliseconds that it takes. */
async function sentWith(parameters) {
  // The first call takes longer.
  await manageHistory(new Conversation({ messages: [{ role: "user", content: "Go on." }] }), {});
  const sent = [];
  for (const { content, call } of results) {
    const messages = [
      { role: "user", content: "Go on." },
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", toolCallId: call.id, toolName: call.name, content },
    ];
    const conversation = new Conversation({ messages });
    const started = performance.now();
    const managed = await manageHistory(conversation, parameters).catch((error) => {
      if (TurnfoldError.isInstance(error) && error.code === "invalid_option") {
        console.log(`The package does not take ${values.parameters}: ${error.message}`);
        process.exit();
      }
      throw error;
    });
    sent.push({ after: managed.messages.at(-1).content, time: performance.now() - started });
  }
  return sent;
}

/** Returns what headroom makes of each result, by its defaults or in a mode. */
function headroom(folder, ...mode) {
  const program = fileURLToPath(new URL("worth/with_headroom.py", import.meta.url));
  const input = JSON.stringify(results.map(({ content, call }) => [call.name, call.args, content]));
  const env = { ...process.env, PYTHONPATH: folder };
  const stdio = ["pipe", "pipe", "ignore"];
  const output = execFileSync("python3", [program, ...mode], {
    input,
    env,
    stdio,
    encoding: "utf8",
    maxBuffer: 2 ** 29,
  });
  return JSON.parse(output).map((after) => ({ after, time: Number.NaN }));
}

const digits = (number, places = 3) => (Number.isFinite(number) ? number.toFixed(places) : "–");

/** Prints a table of what is left of the results. */
function table(title, sent) {
  console.log(`\n${title}; tokens of o200k\n`);
  console.log("| kind | results | tokens before | after | share | changed | longest | names | lines | ms |");
  console.log(`|${"---|".repeat(10)}`);
  for (const kind of Object.keys(KINDS)) {
    const row = { results: 0, before: 0, after: 0, changed: 0, longest: 0, names: [0, 0], lines: [0, 0], time: 0 };
    for (const [index, { after, time }] of sent.entries()) {
      const { content } = results[index];
      if (results[index].kind !== kind) continue;
      if (values.show === kind) console.log(`\n--- ${kind}\n${content}\n--- after\n${after}`);
      const [tokens, left] = [count(content), count(after)];
      const text = new Text(plain(after));
      row.results++;
      row.before += tokens;
      row.after += left;
      row.changed += after === content ? 0 : 1;
      row.longest = Math.max(row.longest, left / tokens);
      row.time += time;
      for (const [of, all, isShown] of [
        [row.names, namesOf(plain(content)), (name) => text.hasName(name)],
        [row.lines, linesOf(plain(content)), (line) => text.hasLine(line)],
      ]) {
        for (const one of all) {
          of[1]++;
          if (isShown(one)) of[0]++;
        }
      }
    }
    if (row.results === 0) continue;
    const { before, after, changed, longest, names, lines, time } = row;
    const cells = [
      `${kind} (of ${found[kind].size})`,
      row.results,
      before,
      after,
      digits(after / before),
      changed,
      digits(longest, 2),
      digits(names[0] / names[1]),
      digits(lines[0] / lines[1]),
      digits((10_000 * time) / before, 1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

table(`Single results with ${values.parameters}`, await sentWith(JSON.parse(values.parameters)));
if (values.headroom !== undefined) {
  table("headroom's compress()", headroom(values.headroom));
  table('headroom\'s compress() with mode "agent", without losses', headroom(values.headroom, "agent"));
}
