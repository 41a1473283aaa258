// npx turnfold audit FILE: prints what a recorded conversation cost, what it would have cost with each strategy, and
// what later requests need that they would not have contained.

import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import {
  Conversation,
  clearToolResults,
  digest,
  estimate,
  lastNMessages,
  needRecall,
  readConversation,
} from "turnfold/audit";
import { count, counted, optionsOf, Problem, percent, pricesOf, print, printTable, visible } from "./terminal.mjs";

export const USAGE = `turnfold audit FILE   what a recorded conversation cost, and what it would have cost with each strategy

FILE is JSON or JSON Lines: messages of OpenAI, Anthropic, the AI SDK, Gemini or LangChain, a session of Claude Code or
Codex, an export of ChatGPT, an ATIF trajectory, a saved step or conversation. - reads standard input. Nothing is sent anywhere.

  --prices LIST     anthropic, anthropic-1h, openai, gemini, deepseek, none, or JSON such as
                    '{"input":1,"cacheRead":0.1,"cacheWrite":1.25}'; several: --prices openai --prices deepseek
  --strategy NAME   measure only this one beside none; several: --strategy A --strategy B
  --chat N          the Nth chat of a file with several, such as an export of ChatGPT, or the Nth part of a session that
                    was compacted; the first by default
  --json            the figures as JSON
  --help`;

const OPTIONS = {
  prices: { type: "string", multiple: true, default: [] },
  strategy: { type: "string", multiple: true, default: [] },
  chat: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

const CHATS = {
  "clear results, keep 3": { compressionStrategy: clearToolResults({ keep: 3 }) },
  "clear results, keep 3, worthIt": { compressionStrategy: clearToolResults({ keep: 3 }), when: "worthIt" },
  "clear results, keep 3, 80 names, worthIt": {
    compressionStrategy: clearToolResults({ keep: 3, names: 80 }),
    when: "worthIt",
  },
  digest: { compressionStrategy: digest() },
  "digest, worthIt": { compressionStrategy: digest(), when: "worthIt" },
  "summarize all but 4": { compressionStrategy: lastNMessages(4) },
  "summarize all but 4, worthIt": { compressionStrategy: lastNMessages(4), when: "worthIt" },
};
const TURNS = Object.fromEntries(
  ["journal", "single-user-coalesced", "aggressive", "rolling-window", "per-turn-summary"].map((name) => [name, name]),
);

async function textOf(file) {
  try {
    if (file !== "-") return await readFile(file, "utf8");
    const chunks = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    const known = { ENOENT: "there is no such file", EISDIR: "it is a folder" };
    throw new Problem(`${file} can't be read: ${known[error.code] ?? error.message}`);
  }
}

function chosen(strategies, names) {
  const unknown = names.find((name) => !Object.hasOwn(strategies, name) && name !== "none");
  if (unknown !== undefined) {
    throw new Problem(
      `there is no strategy "${unknown}" for this recording; there are:\n  ${Object.keys(strategies).join("\n  ")}`,
    );
  }
  const isChosen = ([name]) => names.length === 0 || names.includes(name);
  return Object.fromEntries(Object.entries(strategies).filter(isChosen));
}

const DISTANCES = [2000, 8000, 32_000];

function printFigures(rows, prices) {
  const [none] = rows;
  print(
    `\nPrices: ${prices === undefined ? "the default, input 1, cached 0.1, written 1.25, output 5" : JSON.stringify(prices)}\n`,
  );
  printTable(
    rows.map((row) => ({
      strategy: row.name,
      tokens: count(row.tokens),
      share: percent(row.share),
      cost: count(row.cost),
      "of none": percent(row.cost / none.cost),
      "forgetting paid": percent(row.costWithForgetting / none.cost),
      ...Object.fromEntries(
        DISTANCES.map((distance) => {
          const [recall, floor] = [row.recall[distance].share, row.floor[distance].share];
          return [`seen ${distance / 1000}k`, recall === null ? "–" : `${percent(recall)} (${percent(floor)})`];
        }),
      ),
      associated: percent(row.associated[8000].share),
      complete: percent(row.complete.share),
    })),
  );
}

const LEGEND = `
tokens           of all requests
cost             of requests, replies and summaries, in the unit of the prices; "of none": relative to no compression
forgetting paid  with one more request, and the smallest results that hold what is missing, where something is
seen 8k          needs that lie 8,000 tokens or more back and would have been in the request; in parentheses the noise
                 floor: of everything that lies as far back, needed or not
associated       of those from 8k on, beside a word of the line that they came from
complete         requests that would have seen all that they needed from 2,000 tokens on
Summaries are taken to hold nothing: no model is asked.`;

function printLosses(rows) {
  const lossy = rows.slice(1).filter(({ losses }) => losses.length > 0);
  // Losses of strategies with summaries are not known, because no model writes the summaries.
  const known = lossy.filter(({ name }) => !name.startsWith("summarize"));
  const [worst] = (known.length > 0 ? known : lossy).sort(
    (left, right) => left.costWithForgetting - right.costWithForgetting,
  );
  if (worst === undefined) return;
  print(`\nThe most expensive losses of "${worst.name}", the cheapest without a model that lost anything:\n`);
  for (const { request, atoms, messages, tokens } of worst.losses.slice(0, 10)) {
    const shown = atoms.slice(0, 3).join(", ") + (atoms.length > 3 ? `, and ${atoms.length - 3} more` : "");
    const places = messages.length === 1 ? `message ${messages[0]}` : `messages ${messages.join(", ")}`;
    print(`  request ${request} needed ${shown}: ${places}, ${count(tokens)} tokens`);
  }
}

/** The recording to measure, and its name in the output. */
function recordingOf(file, { step, chats }, chat) {
  if (step !== undefined && chat === undefined) return { name: file, recording: step };
  const most = step === undefined ? chats.length : 0;
  const number = Number(chat ?? 1);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    const held = most === 0 ? "a step" : most === 1 ? "one chat" : `${count(most)} chats`;
    throw new Problem(`there is no chat ${chat}: ${file} holds ${held}`);
  }
  return {
    name: most === 1 ? file : `${file}, chat ${number} of ${count(most)}`,
    recording: chats[number - 1].conversation,
  };
}

function audit(file, recording, { prices, strategy, json }) {
  const isChat = recording instanceof Conversation;
  const strategies = chosen(isChat ? CHATS : TURNS, strategy);
  const shows = process.stderr.isTTY;
  const onProgress = (name) => shows && process.stderr.write(`\r\x1b[Kmeasuring ${visible(name)}`);
  const messages = isChat ? recording.messages.length : recording.turns.length;
  const requests = isChat
    ? recording.messages.filter(({ role }, index) => role === "assistant" && index > 0).length
    : recording.turns.length;
  if (requests === 0)
    throw new Problem(`${file} has ${counted(messages, "message")} and no request: no reply of a model`);
  const all = (prices.length === 0 ? [undefined] : prices.map(pricesOf)).map((given) => ({
    prices: given,
    strategies: needRecall(recording, {
      strategies,
      onProgress,
      ...(given === undefined ? {} : { prices: given }),
    }).map(
      // Hundreds of needs, the same for each strategy, would hide the figures; those that are not met are in the losses.
      ({ needs, ...figures }) => figures,
    ),
  }));
  if (shows) process.stderr.write("\r\x1b[K");
  if (json) {
    const kind = isChat ? "chat" : "step";
    print(JSON.stringify({ file, kind, messages, requests, counter: estimate.name, results: all }, null, 2));
    return;
  }
  print(
    `${file}: ${counted(messages, isChat ? "message" : "turn")}, ${counted(requests, "request")}; tokens are estimated`,
  );
  for (const { prices: given, strategies: rows } of all) printFigures(rows, given);
  print(LEGEND);
  printLosses(all[0].strategies);
}

/** @param argv the arguments after the name of the command. */
export async function run(argv) {
  // Prevents the space for new objects from growing: a recording of 623 messages is measured in 185 MB instead of 211, as
  // fast.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { positionals: files, help, chat, ...options } = optionsOf(argv, OPTIONS, USAGE);
  if (help) {
    print(USAGE);
    return;
  }
  if (files.length !== 1) throw new Problem(`audit takes one file, got ${files.length}\n\n${USAGE}`);
  const [file] = files;
  const read = readConversation(await textOf(file));
  for (const warning of read.warnings) console.error(visible(`turnfold: ${file}: ${warning}`));
  const { name, recording } = recordingOf(file, read, chat);
  audit(name, recording, options);
}
