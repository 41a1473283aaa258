// Reads the case files of chats for the tests of the package. tests/it/chat.rs documents the headings.

import {
  chunked,
  clearToolResults,
  digest,
  fromTimestamp,
  lastNMessages,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";
import { readClojure } from "turnfold/lisp";
import { characters, record } from "./case-options.mjs";
import { casesIn, textsOf } from "./cases.mjs";

const MINUTE = 60_000;

/** Every chat: its name, the lines of its conversation, the context of the request, and its attempts (`tries`). */
export function chats() {
  return casesIn("chats").map(({ name, title, sections }) => ({ name, title, ...chatOf(sections) }));
}

function chatOf(sections) {
  const chat = { lines: [], context: {}, tries: [] };
  let before;
  for (const section of sections.slice(1)) {
    const { heading } = section;
    const [messages = ""] = textsOf(section, "chat");
    if (heading === "Conversation") chat.lines = linesOf(messages);
    else if (heading === "Request") chat.context = contextOf(section);
    else {
      // The parameters of the previous attempt, unless this one has its own.
      const [given = before] = textsOf(section, "clojure");
      const [plan, result, error] = ["plan", "result", "error"].map((info) => textsOf(section, info)[0]);
      const [requests, summaries] = ["request", "summary"].map((info) => textsOf(section, info));
      const isContinued = heading.startsWith("Again");
      chat.tries.push({ heading, added: messages, isContinued, given, plan, requests, summaries, result, error });
      before = given;
    }
  }
  return chat;
}

function contextOf(section) {
  const context = {};
  for (const { info, text } of section.blocks) {
    if (info === "chat") context.request = linesOf(text).map(({ message }) => message);
    else if (info === "tools") context.tools = text.split("\n").map((line) => JSON.parse(line));
    else context.schema = JSON.parse(text);
  }
  return context;
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
    else if (flag === "error") message.isError = true;
    else if (flag === "denied") message.isDenied = true;
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
  retrieveFacts: (concepts) => retrieveFacts(concepts.map((concept) => record(concept))),
  clearToolResults: (keep, names = 0, exclude = [], clearInputs = false) =>
    clearToolResults({ keep, names, exclude, clearInputs }),
  digest: (keep, names = 0, head = 80, atLeast = 0, handles = false) => digest({ keep, names, head, atLeast, handles }),
};

/** The parameters that a block of Clojure describes. */
export function parametersOf(text) {
  const { strategies: listed, counter, ...parameters } = record(readClojure(text));
  if (counter !== undefined) parameters.counter = characters;
  if (listed === undefined) return parameters;
  const made = listed.map(([name, option, ...more]) => {
    if (Object.hasOwn(strategies, name)) return strategies[name](option, ...more);
    const { keep, drop, summarize } = record(option);
    return { name, plan: () => ({ keep, drop, summarize: summarize?.map((group) => record(group)) }) };
  });
  return { ...parameters, compressionStrategy: made.length === 1 ? made[0] : made };
}

/** The summaries for `number` requests. */
export function summariesFor(number, texts) {
  return Array.from({ length: number }, (_, place) => (texts[place] ?? texts.at(-1)).replaceAll("{n}", place));
}

/** The line of a message that the library made. */
function notation({
  role,
  content,
  pinned,
  timestamp,
  summary,
  toolCallId,
  toolName = "",
  toolCalls = [],
  isError,
  isDenied,
}) {
  if (typeof content !== "string") return notation({ role, ...resultIn(content) });
  const flags = [
    role,
    ...(pinned ? ["pinned"] : []),
    ...(timestamp === undefined ? [] : [`@${timestamp / MINUTE}`]),
    ...(summary === undefined ? [] : [`summary=${summary.covers}/${summary.strategy}`]),
    ...(toolCallId === undefined ? [] : [`${toolName}#${toolCallId}`]),
    ...(isError ? ["error"] : []),
    ...(isDenied ? ["denied"] : []),
  ];
  const calls = toolCalls.map(({ id, name, args }) => ` -> ${name}#${id} ${JSON.stringify(args)}`);
  return `${flags.join(" ")}: ${content.replaceAll("\n", "⏎")}${calls.join("")}`;
}

/** The members of a message that is a result, for the only part of a message. */
function resultIn([{ toolCallId, toolName, output }]) {
  const isDenied = output.type === "execution-denied";
  const content = isDenied ? output.reason : output.value;
  return { toolCallId, toolName, content, isDenied, isError: output.type.startsWith("error") };
}

export function planText({ outcome, reason, warnings, tokens, messages, requests }) {
  const covers = requests.map(({ covers }, place) => `request ${place} covers ${ranges(covers)}`);
  return [outcome, ...noteLines({ reason, warnings, tokens }), ...fateLines(messages), ...covers].join("\n");
}

function noteLines({ reason, warnings, tokens }) {
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

/** The result of an attempt as text, and the lines of the new conversation. */
export function resultOf(lines, { conversation, report }, plan) {
  const text = [report.outcome, ...noteLines(report)];
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
