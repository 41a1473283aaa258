// npx turnfold audit FILE: prints what a recording cost, what it would have cost with each strategy, and what later requests
// need that they would not have contained.

import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { auditRecording, readConversation, recordingFormats } from "turnfold/audit";
import { areMany, auditMany, printProxy } from "./audit-folder.mjs";
import { summaryOf } from "./audit-sessions.mjs";
import { openSession } from "./read-file.mjs";
import { plotsOf, writeReport } from "./report.mjs";
import { arrivalKinds, costsOf, readFacts } from "./session-facts.mjs";
import {
  count,
  counted,
  money,
  optionsOf,
  Problem,
  percent,
  pricesOf,
  print,
  printTable,
  shortCode,
  signed,
  visible,
} from "./terminal.mjs";

export const USAGE = `turnfold audit FILE…   what recordings cost, and what they would have cost with each strategy

FILE is what other programs write: a session of a coding agent, messages, an export of chats, a trace; docs/recordings.md has the
list. A folder is searched for recordings, and several are summed up. - reads standard input. Nothing is sent anywhere.

  --all             the sessions of the coding agents of this machine: Claude Code, Codex, Gemini CLI and others
  --since TIME      only requests since a date, or since 7d, 12h or 2w ago
  --html FILE       writes a page with plots, in one file
  --prices LIST     in place of the recorded model's: JSON with dollars for a million tokens, such as
                    '{"input":3,"cacheRead":0.3,"cacheWrite":3.75,"output":15}'; or the cache of anthropic, anthropic-1h,
                    openai, gemini, deepseek, none
  --strategy TEXT   only the strategies whose code has the text; several: --strategy digest --strategy arrival
  --chat N          only the Nth chat of a file with several, such as an export, or a session with sub-agents
  --json            everything as JSON
  --help`;

const OPTIONS = {
  prices: { type: "string" },
  strategy: { type: "string", multiple: true, default: [] },
  chat: { type: "string" },
  all: { type: "boolean", default: false },
  since: { type: "string" },
  html: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

/** Returns a function that opens the recording. */
async function openRecording(file) {
  try {
    if (file !== "-") return await openSession(file);
    const recording = readConversation(await text(process.stdin));
    return () => recording;
  } catch (error) {
    if (error.syscall === undefined) throw error;
    throw new Problem(`${file} can't be read: ${error.code === "ENOENT" ? "there is no such file" : error.message}`);
  }
}

/** The recording with one of its chats. */
function withChat(recording, file, number) {
  async function* chats() {
    let [seen, isFound] = [0, false];
    for await (const chat of recording.chats) {
      if (++seen !== Number(number)) continue;
      isFound = true;
      yield chat;
    }
    const held = seen === 1 ? "one chat" : `${count(seen)} chats`;
    if (!isFound) throw new Problem(`there is no chat ${number}: ${file} holds ${held}`);
  }
  return Object.create(recording, { chats: { value: chats() } });
}

/** The strategies whose code has one of the texts; undefined for the default ones. */
function chosen(audited, texts) {
  if (texts.length === 0) return audited;
  const codes = audited.strategies.map(({ code }) => code);
  const unknown = texts.find((text) => !codes.some((code) => code.includes(text)));
  if (unknown !== undefined) {
    const known = codes.slice(1).join("\n  ");
    throw new Problem(`there is no strategy with "${unknown}" for this recording; there are:\n  ${known}`);
  }
  const isChosen = ({ code }) => code === "none" || texts.some((text) => code.includes(text));
  return { ...audited, strategies: audited.strategies.filter(isChosen) };
}

/** The first lines: what was billed. */
function printBill(name, { billed, models, unpriced, source, chats, format, assumptions }) {
  const { requests, fresh, read, written, output, reasoning, dollars } = billed;
  const how = { recorded: "billed", estimated: "estimated", mixed: "partly recorded, partly estimated" }[source];
  const cost = dollars === null ? "no price known," : money(dollars);
  const tokens = `${count(fresh + read + written)} tokens of input (${count(read)} read from the cache, ${count(written)} written to it), ${count(output)} of output`;
  const thought = reasoning === null ? "" : ` (${count(reasoning)} of reasoning)`;
  print(`${name}: ${cost} ${how}, ${counted(requests, "request")}, ${tokens}${thought}`);
  const kinds = [...new Set(chats.map(({ kind }) => kind))].map((kind) => {
    const number = chats.filter((chat) => chat.kind === kind).length;
    const noun = { chat: "chat", compacted: "part after a compaction", rewound: "branch", agent: "sub-agent" }[kind];
    return number === 1
      ? `one ${noun}`
      : `${count(number)} ${noun.replace(/^part|$/, (end) => (end === "" ? "s" : "parts")).replace(/compactions$/, "compaction")}`;
  });
  print(`Read as ${recordingFormats[format]}: ${kinds.join(", ")}.`);
  if (models.length > 1 || unpriced.length > 0) {
    print("");
    printTable(
      models.map((row) => ({
        model: row.model ?? "no model recorded",
        requests: count(row.requests),
        input: count(row.fresh + row.read + row.written),
        output: count(row.output),
        cost: row.dollars === null ? "no price known" : money(row.dollars),
      })),
    );
  }
  if (assumptions.length > 0) print(`\n${assumptions.map((sentence) => `- ${sentence}`).join("\n")}`);
}

/** How well the computed requests agree with the recorded ones. */
function printFit({ fit, chats }) {
  if (fit.within5 === null) return;
  const { errors, factors, within5, dollarRatio } = fit;
  const small = (share) => `${(100 * share).toFixed(1)} %`;
  const unknown = chats.map((chat) => chat.unknown).filter((tokens) => tokens > 0);
  const range =
    unknown.length === 0
      ? ""
      : `${count(Math.min(...unknown))}${unknown.length === 1 ? "" : ` to ${count(Math.max(...unknown))}`}`;
  print(
    `\nThe same requests, computed from their messages: ${percent(within5)} within 5 % of the recorded input; half within ${small(errors.p50)}, 95 of 100 within ${small(errors.p95)}.`,
  );
  const scales = factors.map(({ model, factor }) => `${factor.toFixed(2)}${factors.length > 1 ? ` (${model})` : ""}`);
  print(
    `Fitted: ${scales.join(", ")} tokens for an estimated one${range === "" ? "" : `; ${range} tokens in no message, such as the system prompt and the tools`}.`,
  );
  if (dollarRatio !== null)
    print(`By the rules of the provider's cache they cost ${percent(dollarRatio)} of what was billed.`);
}

function printStrategies({ strategies, unit }) {
  const price = (cost) => (unit === "dollars" ? money(cost) : count(cost));
  print("\nWith a strategy, the same requests would have been:\n");
  printTable(
    strategies.map(({ code, tokens, cost, share, interval, costWithForgetting, names, overWindow, hasSummaries }) => ({
      options: shortCode(code),
      tokens: count(tokens),
      cost: price(cost),
      change: code === "none" ? "" : signed(share),
      "95 % interval": code === "none" ? "" : `${signed(interval[0])} to ${signed(interval[1])}`,
      "forgetting paid": price(costWithForgetting),
      "names missing": `${hasSummaries ? "≤ " : ""}${count(names.missing)} of ${count(names.of)}`,
      "over window": count(overWindow),
    })),
  );
  print(LEGEND);
}

const LEGEND = `
options          of an agent or of manageHistory: a strategy is its compressionStrategy
tokens           of input, of all requests
cost             with replies and requests for summaries
forgetting paid  with one more request, and the smallest results that hold what is missing, where something is
names missing    that later requests use, 2,000 tokens or more after they were last seen, and would not have had
Summaries are taken to hold no names: no model is asked.`;

function printRecommendation({ recommendation: { code, reason, saved }, unit }) {
  const [first, ...rest] = reason;
  print(`\nRecommended: ${code ?? "change nothing"}`);
  print(`${first.toUpperCase()}${rest.join("")}${code !== null && unit === "dollars" ? `: ${money(saved)}` : ""}.`);
}

function printArrival({ arrival, unit }) {
  if (arrival.length === 0) return;
  print('\nWhat results could arrive shorter by, without losing anything (arrival: "lossless"):\n');
  printTable(
    arrival.map(({ kind, results, tokens, sent, cost }) => ({
      kind: arrivalKinds[kind],
      results: count(results),
      tokens: count(tokens),
      "in all requests": count(sent),
      saved: unit === "dollars" ? money(cost) : count(cost),
    })),
  );
}

function printShares({ tools, files }) {
  for (const [title, shares] of [
    ["tool", tools],
    ["file", files],
  ]) {
    if (shares.length === 0) continue;
    print(`\nWhat fills the requests, by ${title}:\n`);
    printTable(
      shares.slice(0, MAX_SHARES).map(({ name, calls, tokens, sent, share }) => ({
        [title]: name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME)}` : name,
        calls: count(calls),
        tokens: count(tokens),
        "in all requests": count(sent),
        "of the input": percent(share),
      })),
    );
  }
}

const [MAX_SHARES, MAX_NAME] = [8, 60];

function printLosses({ strategies, requests }) {
  // Losses of strategies with summaries are not known, because no model writes the summaries.
  const [worst] = strategies
    .filter(({ losses, hasSummaries }) => losses.length > 0 && !hasSummaries)
    .sort((left, right) => left.costWithForgetting - right.costWithForgetting);
  if (worst === undefined) return;
  print(`\nThe most expensive losses of ${shortCode(worst.code)}, the cheapest that lost anything:\n`);
  const isOne = new Set(requests.map(({ chat }) => chat)).size === 1;
  for (const { request, names, messages, tokens } of worst.losses) {
    const shown = names.slice(0, 3).join(", ") + (names.length > 3 ? `, and ${names.length - 3} more` : "");
    const places = messages.length === 1 ? `message ${messages[0]}` : `messages ${messages.join(", ")}`;
    const chat = isOne ? "" : ` of chat ${requests[request].chat + 1}`;
    print(`  request ${request} needed ${shown}: ${places}${chat}, ${count(tokens)} tokens`);
  }
}

/** Prints the audit of a recording. */
export function printAudit(name, audited) {
  printBill(name, audited);
  printProxy(audited.proxy, audited, audited.strategies[0].cost);
  printFit(audited);
  printStrategies(audited);
  printRecommendation(audited);
  printArrival(audited);
  printShares(audited);
  printLosses(audited);
}

/** Audits a file and prints the result. */
async function auditFile(file, { prices, strategy, chat, html, json }) {
  const openAll = await openRecording(file);
  const open = () => (chat === undefined ? openAll() : withChat(openAll(), file, chat));
  const shows = process.stderr.isTTY;
  const onProgress = (code, number, of) =>
    shows && process.stderr.write(`\r\x1b[Kmeasuring ${number + 1} of ${of}: ${visible(code)}`);
  const recording = open();
  const { facts } = await readFacts(recording);
  for (const warning of recording.warnings) console.error(visible(`turnfold: ${file}: ${warning}`));
  const all = await auditRecording(open, { onProgress, ...(prices === undefined ? {} : { prices }) });
  if (shows) process.stderr.write("\r\x1b[K");
  if (all.requests.length === 0) throw new Problem(`${file} has no request: no reply of a model`);
  const audited = chosen(all, strategy);
  if (html !== undefined)
    await writeReport(html, summaryOf([{ file, ...facts, ...costsOf(all), plots: plotsOf(all) }]));
  if (json) print(JSON.stringify({ file, ...audited }, null, 2));
  else printAudit(chat === undefined ? file : `${file}, chat ${chat}`, audited);
  if (html !== undefined && !json) print(`\nThe report is ${html}: one file, which any browser opens.`);
}

/** @param argv the arguments after the name of the command. */
export async function run(argv) {
  // Prevents the space for new objects from growing: a recording of 623 messages is measured in 185 MB instead of 211, as
  // fast.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { positionals: files, help, prices: given, ...others } = optionsOf(argv, OPTIONS, USAGE);
  if (help) {
    print(USAGE);
    return;
  }
  if (files.length === 0 && !others.all) throw new Problem(`audit takes a file, a folder or --all\n\n${USAGE}`);
  const options = { ...others, prices: given === undefined ? undefined : pricesOf(given) };
  if (!areMany(files, options)) await auditFile(files[0], options);
  else if (options.chat !== undefined || options.strategy.length > 0)
    throw new Problem("--chat and --strategy are for one file");
  else await auditMany(files, options);
}
