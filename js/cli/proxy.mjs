// npx turnfold proxy: stands between an app and the providers of its models, and shortens the histories of its requests.

import { clearToolResults, digest } from "turnfold/gateway";
import { startProxy } from "./proxy-server.mjs";
import { count, counted, optionsOf, Problem, percent, pricesOf, print, visible } from "./terminal.mjs";

export const USAGE = `turnfold proxy   stands between an app and its model, and shortens the histories of its requests

Give the app one of the printed addresses as base URL. Only programs of this machine are answered; keys pass through and
are neither stored nor printed.

  --port N             default 8788; 0 for any free one
  --to NAME=URL        where /NAME leads; default anthropic=https://api.anthropic.com and openai=https://api.openai.com;
                       more: --to deepseek=https://api.deepseek.com
  --strategy NAME      digest, clearToolResults or none, with options such as 'digest({ keep: 4 })'; default digest
  --when WHEN          worthIt, always or overLimit; default worthIt
  --arrival lossless   send results of tools in shorter forms from the first request on
  --max-tokens N       most tokens of a request
  --prices LIST        as for audit; default those of the API
  --record FOLDER      write requests, replies and usage as JSON Lines, a file for each chat; turnfold audit reads them
  --dry-run            send everything as it is, and say what would have been saved
  --help`;

const OPTIONS = {
  port: { type: "string", default: "8788" },
  to: { type: "string", multiple: true, default: [] },
  strategy: { type: "string", default: "digest" },
  when: { type: "string", default: "worthIt" },
  arrival: { type: "string" },
  "max-tokens": { type: "string" },
  prices: { type: "string" },
  record: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

const STRATEGIES = { digest, clearToolResults };

/** Reads `digest` and `digest({ keep: 4 })`. */
function strategyOf(text) {
  const [, name, given = "{}"] = /^(\w+)(?:\(\s*(\{.*\})?\s*\))?$/s.exec(text.trim()) ?? [];
  if (name === "none") return [];
  if (!Object.hasOwn(STRATEGIES, name ?? "")) {
    throw new Problem(`there is no strategy "${text}"; there are ${Object.keys(STRATEGIES).join(", ")} and none`);
  }
  try {
    return STRATEGIES[name](JSON.parse(given.replace(/([{,]\s*)(\w+)\s*:/g, '$1"$2":')));
  } catch (error) {
    throw new Problem(`--strategy ${text}: ${error.message}`);
  }
}

function addressesOf(given) {
  const to = { anthropic: "https://api.anthropic.com", openai: "https://api.openai.com" };
  for (const text of given) {
    const [, name, url] = /^([\w-]+)=(https?:\/\/.+)$/.exec(text) ?? [];
    if (name === undefined || !URL.canParse(url)) throw new Problem(`--to ${text} is not NAME=URL`);
    to[name] = url;
  }
  return to;
}

function numberOf(name, text, least) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Problem(`--${name} ${text} is no number`);
}

const time = (at) => new Date(at).toTimeString().slice(0, 8);

/** What a request was, on one line. */
function lineOf({ at, model, path, status, isWhole, isSent, counts, report, tokens, milliseconds }) {
  const parts = [`${time(at)} ${model || "?"} ${path} ${status}${isWhole ? "" : ", broken off"}`];
  if (counts) parts.push("counted");
  if (report.tokens !== null) {
    const { before, after } = report.tokens;
    const way = report.isChanged && !isSent ? "would be" : "→";
    parts.push(before === after ? `${count(before)} tokens` : `${count(before)} ${way} ${count(after)} tokens`);
    if (report.isFolded) parts.push("folded");
    if (report.session === "restarted") parts.push("another history");
  } else parts.push("unchanged");
  if (tokens !== null) {
    const { inputTokens: input, cacheReadTokens: read, outputTokens: output } = tokens;
    parts.push(`${count(input)} billed, ${percent(read / input)} cached, ${count(output)} written`);
  }
  parts.push(`${(milliseconds / 1000).toFixed(1)} s`);
  return parts.join(" · ");
}

/** @param argv the arguments after the name of the command. */
export async function run(argv) {
  const { positionals, help, port, to, ...options } = optionsOf(argv, OPTIONS, USAGE);
  if (help) {
    print(USAGE);
    return;
  }
  if (positionals.length > 0) throw new Problem(`proxy takes options only, got ${positionals[0]}\n\n${USAGE}`);
  const log = (text) => process.stderr.write(`${visible(text.replaceAll("\n", " "))}\n`);
  const total = { requests: 0, before: 0, after: 0 };
  const addresses = addressesOf(to);
  const { strategy, when, arrival, prices, record } = options;
  const parameters = {
    compressionStrategy: strategyOf(strategy),
    when,
    ...(arrival === undefined ? {} : { arrival }),
    ...(prices === undefined ? {} : { prices: pricesOf(prices) }),
    ...(options["max-tokens"] === undefined ? {} : { maxTokens: numberOf("max-tokens", options["max-tokens"], 1) }),
  };
  const isDry = options["dry-run"];
  const proxy = await startProxy({
    port: numberOf("port", port, 0),
    to: addresses,
    parameters,
    isDry,
    ...(record === undefined ? {} : { record }),
    onWarning: (text) => log(`turnfold: ${text}`),
    onRequest(about) {
      for (const warning of about.report.warnings) log(`turnfold: ${warning}`);
      log(lineOf(about));
      if (about.counts || about.report.tokens === null) return;
      total.requests++;
      total.before += about.report.tokens.before;
      total.after += about.report.tokens.after;
    },
  });
  for (const [name, url] of Object.entries(addresses)) print(`${proxy.origin}/${name} → ${url}`);
  if (isDry) print("a dry run: everything is sent as it is");
  const stopped = new Promise((stop) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  });
  await stopped;
  await proxy.close();
  const { requests, before, after } = total;
  if (requests > 0) {
    print(
      `${counted(requests, "request")}, ${count(before)} → ${count(after)} tokens (${percent(after / before)}), estimated`,
    );
  }
}
