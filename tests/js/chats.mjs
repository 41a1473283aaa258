// Chat files, read for the package. tests/it/chat.rs says how a file is written.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  chunked,
  clearToolResults,
  fromTimestamp,
  Keyword,
  lastNMessages,
  readClojure,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold";

const folder = join(import.meta.dirname, "..", "chats");

/** A counter that is easy to follow: a token for every character. */
const characters = { name: "characters", method: "exact", count: (text) => [...text].length };

const MINUTE = 60_000;

/** Every file: its name, the lines of its conversation, what is asked now, and its tries. */
export function chatFiles() {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => ({ name, ...chatOf(readFileSync(join(folder, name), "utf8")) }));
}

function chatOf(source) {
  const chat = { lines: [], context: {}, tries: [] };
  let heading = "";
  const lines = source.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const fence = /^`{3,}/.exec(lines[at])?.[0];
    if (fence !== undefined) {
      const end = lines.indexOf(fence, at + 1);
      const block = { info: lines[at].slice(fence.length), text: lines.slice(at + 1, end).join("\n") };
      if (chat.tries.length > 0) chat.tries.at(-1).blocks.push(block);
      else given(chat, heading, block);
      at = end;
    } else if (lines[at].startsWith("## ")) {
      heading = lines[at].slice(3);
      if (/^(?:Parameters|Again)/.test(heading)) chat.tries.push({ heading, blocks: [] });
    }
  }
  let before;
  for (const one of chat.tries) {
    const texts = (info) => one.blocks.filter((block) => block.info === info).map(({ text }) => text);
    const [added = ""] = texts("chat");
    const [own] = texts("clojure");
    Object.assign(one, {
      added,
      goesOn: one.heading.startsWith("Again"),
      // The parameters of the try before.
      given: own ?? before,
      plan: texts("plan")[0],
      requests: texts("request"),
      summaries: texts("summary"),
      result: texts("result")[0],
      error: texts("error")[0],
    });
    before = one.given;
  }
  return chat;
}

function given(chat, heading, { info, text }) {
  if (heading === "Conversation") chat.lines = linesOf(text);
  else if (info === "chat") chat.context.request = linesOf(text).map(({ message }) => message);
  else if (info === "tools") chat.context.tools = text.split("\n").map((line) => JSON.parse(line));
  else chat.context.schema = JSON.parse(text);
}

/** The messages that lines describe, each with its line. */
export function linesOf(text, now = null) {
  const sources = text === "" ? [] : text.split("\n");
  const lines = [];
  let time = now;
  const add = (source) => {
    const message = messageOf(source, time);
    time = message.timestamp ?? time;
    lines.push({ source, message });
  };
  while (sources.length > 0) {
    const source = sources.shift();
    const times = /^(\d+) times$/.exec(source)?.[1];
    if (times === undefined) {
      add(source);
      continue;
    }
    const repeated = [];
    while (sources[0]?.startsWith("  ")) repeated.push(sources.shift().slice(2));
    for (let n = 1; n <= Number(times); n++) {
      for (const line of repeated) add(line.replaceAll("{n}", n));
    }
  }
  return lines;
}

function messageOf(source, now) {
  const colon = source.indexOf(":");
  const [role, ...flags] = source.slice(0, colon).split(" ");
  const [said, ...calls] = source.slice(colon + 1).split(" -> ");
  const text = said.trim().replaceAll("⏎", "\n");
  const message = { role, content: flags.includes("parts") ? readClojure(text) : text };
  for (const flag of flags) {
    const [, covers, strategy] = /^summary=(\d+)\/(\w+)$/.exec(flag) ?? [];
    if (flag === "pinned") message.pinned = true;
    else if (flag.startsWith("@+")) message.timestamp = (now ?? 0) + Number(flag.slice(2)) * MINUTE;
    else if (flag.startsWith("@")) message.timestamp = Number(flag.slice(1)) * MINUTE;
    else if (flag.startsWith("name=")) message.name = flag.slice(5);
    else if (covers !== undefined) message.summary = { covers: Number(covers), strategy };
    else if (flag.includes("#")) [message.toolName, message.toolCallId] = flag.split("#");
  }
  if (calls.length > 0) {
    message.toolCalls = calls.map((call) => {
      const [, name, id, args = "{}"] = /^([^#]*)#(\S*)(?: (.*))?$/.exec(call);
      return { id, name, args: JSON.parse(args) };
    });
  }
  return message;
}

const strategies = {
  wholeHistory,
  lastNMessages,
  chunked,
  fromTimestamp: (minute) => fromTimestamp(minute * MINUTE),
  wholeHistoryMultipleSystemMessages,
  retrieveFacts: (concepts) => retrieveFacts(concepts.map(record)),
  clearToolResults: (keep) => clearToolResults({ keep }),
};

/** The parameters that a block of Clojure describes. */
export function parametersOf(text) {
  const { strategies: listed, counter, ...parameters } = record(readClojure(text));
  if (counter !== undefined) parameters.counter = characters;
  if (listed === undefined) return parameters;
  const made = listed.map(([name, option]) => {
    if (Object.hasOwn(strategies, name)) return strategies[name](option);
    const { keep, drop, summarize } = record(option);
    return { name, plan: () => ({ keep, drop, summarize: summarize?.map(record) }) };
  });
  return { ...parameters, compressionStrategy: made.length === 1 ? made[0] : made };
}

/** A map with names as keys, whatever they were read as. */
function record(value) {
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, held]) => [key instanceof Keyword ? key.name : key, held]));
}

/** The summary for each of so many requests. */
export function summariesFor(number, texts) {
  return Array.from({ length: number }, (_, place) => (texts[place] ?? texts.at(-1)).replaceAll("{n}", place));
}

/** The line of a message that the library made. */
function notation({ role, content, pinned, timestamp, summary, toolCallId, toolName = "" }) {
  const flags = [
    role,
    ...(pinned ? ["pinned"] : []),
    ...(timestamp === undefined ? [] : [`@${timestamp / MINUTE}`]),
    ...(summary === undefined ? [] : [`summary=${summary.covers}/${summary.strategy}`]),
    ...(toolCallId === undefined ? [] : [`${toolName}#${toolCallId}`]),
  ];
  return `${flags.join(" ")}: ${content.replaceAll("\n", "⏎")}`;
}

export function planText({ outcome, reason, warnings, tokens, messages, requests }) {
  const covers = requests.map(({ covers }, place) => `request ${place} covers ${ranges(covers)}`);
  return [outcome, ...told({ reason, warnings, tokens }), ...fateLines(messages), ...covers].join("\n");
}

function told({ reason, warnings, tokens }) {
  return [
    ...(reason === null ? [] : [`reason: ${reason}`]),
    ...warnings.map((warning) => `warning: ${warning}`),
    `tokens: ${tokens.before}, then ${tokens.after}`,
  ];
}

function fateLines(fates) {
  const lines = [];
  let start = 0;
  fates.forEach(({ fate, reason }, index) => {
    const next = fates[index + 1];
    if (next?.fate === fate && next.reason === reason) return;
    lines.push(`${range(start, index)} ${fate}${reason === null ? "" : `: ${reason}`}`);
    start = index + 1;
  });
  return lines;
}

const range = (first, last) => (first === last ? `${first}` : `${first}-${last}`);

function ranges(indexes) {
  const texts = [];
  let start = 0;
  indexes.forEach((index, place) => {
    if (indexes[place + 1] === index + 1) return;
    texts.push(range(indexes[start], index));
    start = place + 1;
  });
  return texts.join(" ");
}

/** What came of a try, and the lines of the new conversation. */
export function resultOf(lines, { conversation, report }, plan) {
  const text = [report.outcome, ...told(report)];
  if (report.inserted > 0) text.push(`inserted: ${report.inserted}`);
  const fates = fateLines(report.messages);
  if (fates.join("\n") !== fateLines(plan.messages).join("\n")) text.push(...fates);
  const staying = report.messages.filter(({ fate }) => fate === "kept" || fate === "stubbed");
  const next = [];
  let kept = [];
  const flush = () => {
    if (kept.length >= 4) text.push(`[${range(kept[0], kept.at(-1))}] as they were`);
    else text.push(...kept.map((index) => `[${index}] ${lines[index].source}`));
    kept = [];
  };
  for (const message of conversation.messages) {
    const isNew = message.summary !== undefined && !lines.some((line) => line.sent === message);
    const stays = isNew ? null : staying.shift();
    if (stays?.fate === "kept") {
      if (message !== lines[stays.index].sent) throw new Error(`message ${stays.index} is another one`);
      if (kept.length > 0 && kept.at(-1) + 1 !== stays.index) flush();
      kept.push(stays.index);
      next.push(lines[stays.index]);
    } else {
      flush();
      const source = notation(message);
      text.push(`[${stays?.index ?? "+"}] ${source}`);
      next.push({ source, message });
    }
  }
  flush();
  if (staying.length > 0) throw new Error(`${staying.length} messages that stay are gone`);
  return { text: text.join("\n"), lines: next };
}

export function errorText({ code, message, hint, details }) {
  const { report, request, ...facts } = details;
  const lines = Object.keys(facts)
    .sort()
    .map((name) => `${name}: ${facts[name]}`);
  return [`${code}: ${message}`, ...(hint === null ? [] : [`hint: ${hint}`]), ...lines].join("\n");
}
