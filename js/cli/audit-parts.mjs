// Audits long recordings in parts, so that their memory does not grow with their length.

import { audit } from "turnfold/audit";
import { grouped, inputOf, sumOfBills } from "./session-facts.mjs";

/** The requests of a part, if its first chat does not have more. */
const MAX_REQUESTS = 600;

/** Audits a recording. A long one is divided between its chats, such as at compactions; its scale is then fitted to each part. */
export async function auditInParts(recording, options = {}, most = MAX_REQUESTS) {
  const parts = [];
  let requests = 0;
  for (const chat of recording.chats) {
    if (parts.length > 0 && requests + chat.requests.length <= most) parts.at(-1).push(chat);
    else {
      parts.push([chat]);
      requests = 0;
    }
    requests += chat.requests.length;
  }
  if (parts.length === 1) return audit(recording, options);
  const audits = [];
  for (const chats of parts) {
    audits.push(audit({ ...recording, chats, conversation: chats[0].conversation }, options));
    // What a part has used is released between tasks.
    await new Promise((over) => setImmediate(over));
  }
  return joined(audits);
}

/** What the command line reads of an audit. */
function joined(audits) {
  const all = (of) => [...new Set(audits.flatMap(of))];
  const requests = audits.flatMap((each) => each.requests);
  const sources = all(({ source }) => source);
  const isDollars = audits.some(({ unit }) => unit === "dollars");
  const unit = isDollars ? "dollars" : "tokens";
  const strategies = audits[0].strategies.map((_, index) => joinedStrategy(audits, index, unit));
  const input = sumOf(requests, inputOf);
  return {
    format: audits[0].format,
    source: sources.length === 1 ? sources[0] : "mixed",
    unit,
    assumptions: all(({ assumptions }) => assumptions),
    unpriced: all(({ unpriced }) => unpriced),
    billed: sumOfBills(requests),
    requests,
    strategies,
    recommendation: recommendationOf(audits, strategies),
    arrival: grouped(
      audits.flatMap(({ arrival }) => arrival),
      ({ kind }) => kind,
    ).map(([kind, list]) => ({
      kind,
      ...Object.fromEntries(
        ["results", "tokens", "sent", "cost"].map((name) => [name, sumOf(list, (each) => each[name])]),
      ),
    })),
    tools: joinedShares(audits, "tools", input),
    files: joinedShares(audits, "files", input),
  };
}

const sumOf = (list, of) => list.reduce((sum, each) => sum + of(each), 0);

const MAX_LOSSES = 10;

function joinedStrategy(audits, index, unit) {
  let first = 0;
  const losses = audits.flatMap(({ requests, strategies }) => {
    const own = strategies[index].losses.map((loss) => ({ ...loss, request: loss.request + first }));
    first += requests.length;
    return own;
  });
  const rows = audits.map(({ strategies }) => strategies[index]);
  const isCounted = audits.map((each) => each.unit === unit);
  const costs = (name) => rows.reduce((sum, row, part) => sum + (isCounted[part] ? row[name] : 0), 0);
  return {
    code: rows[0].code,
    cost: costs("cost"),
    costWithForgetting: costs("costWithForgetting"),
    hasSummaries: rows.some(({ hasSummaries }) => hasSummaries),
    names: { missing: sumOf(rows, ({ names }) => names.missing), of: sumOf(rows, ({ names }) => names.of) },
    losses: losses.sort((one, other) => other.tokens - one.tokens).slice(0, MAX_LOSSES),
    requests: {
      cost: rows.flatMap(({ requests }, part) => (isCounted[part] ? requests.cost : requests.cost.map(() => 0))),
    },
  };
}

/** The cheapest of the strategies that are recommended for parts. */
function recommendationOf(audits, strategies) {
  const codes = new Set(audits.flatMap(({ recommendation }) => recommendation.code ?? []));
  const [none] = strategies;
  const costOf = ({ costWithForgetting }) => costWithForgetting;
  const [best] = strategies.filter(({ code }) => codes.has(code)).sort((one, other) => costOf(one) - costOf(other));
  if (best === undefined || best.cost >= none.cost)
    return { code: null, reason: "in no part would a strategy have saved enough to be sure of it", saved: 0 };
  const { missing, of } = best.names;
  const parts = audits.filter(({ recommendation }) => recommendation.code !== null).length;
  return {
    code: best.code,
    reason: `it saves ${Math.round(100 * (1 - best.cost / none.cost))} %, ${of - missing} of ${of} names that later requests use from far back stay, and a strategy is recommended for ${parts} of the ${audits.length} parts in which the session was measured`,
    saved: none.cost - best.cost,
  };
}

function joinedShares(audits, name, input) {
  const weighted = audits.flatMap((each) => {
    const own = sumOf(each.requests, inputOf);
    return each[name].map((share) => ({ name: share.name, sent: share.share * own }));
  });
  return grouped(weighted, (each) => each.name)
    .map(([key, list]) => ({ name: key, sent: sumOf(list, ({ sent }) => sent) }))
    .map(({ name: key, sent }) => ({ name: key, share: input === 0 ? 0 : sent / input }))
    .sort((one, other) => other.share - one.share);
}
