// Measures which names that later requests use strategies remove, and how much they save. Without an argument it measures the
// recorded chats of the tests and the ten missions. `npm run bench -- recall FOLDER` measures the recordings in a folder.
// `PART=1/4` measures the first of four parts, `MIN_REQUESTS=10` omits recordings with fewer requests. `AS=steps` converts the
// chats to turns, for the strategies for turns.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clearToolResults, digest, lastNMessages, needRecall, readConversation } from "turnfold/audit";
import { recorded } from "../../tests/js/recorded-chats.mjs";
import { stepOf } from "./chats-as-steps.mjs";
import { missions, recordedStep } from "./missions.mjs";

const chats = {
  "clear, keep 10": { compressionStrategy: clearToolResults({ keep: 10 }) },
  "clear, keep 3": { compressionStrategy: clearToolResults({ keep: 3 }) },
  "clear, keep 3, 20 names": { compressionStrategy: clearToolResults({ keep: 3, names: 20 }) },
  "clear, keep 3, 40 names": { compressionStrategy: clearToolResults({ keep: 3, names: 40 }) },
  "clear, keep 3, 80 names": { compressionStrategy: clearToolResults({ keep: 3, names: 80 }) },
  "clear, keep 3, 80 names, worthIt": {
    compressionStrategy: clearToolResults({ keep: 3, names: 80 }),
    when: "worthIt",
  },
  "digest, always": { compressionStrategy: digest(), when: "always" },
  digest: { compressionStrategy: digest() },
  "digest, lossless": { compressionStrategy: digest(), arrival: "lossless" },
  "digest, keep 4": { compressionStrategy: digest({ keep: 4 }) },
  "digest, 40 names": { compressionStrategy: digest({ names: 40 }) },
  "digest, 40 names, handles": { compressionStrategy: digest({ names: 40, handles: true }) },
  "lastNMessages(4), worthIt": { compressionStrategy: lastNMessages(4), when: "worthIt" },
};
const turns = {
  ...Object.fromEntries(
    ["journal", "single-user-coalesced", "aggressive", "rolling-window", "per-turn-summary"].map((name) => [
      name,
      name,
    ]),
  ),
  "journal, 5 names": ["journal", { sampleNames: 5 }],
  "single-user-coalesced, 5 names": ["single-user-coalesced", { sampleNames: 5 }],
};

const digits = ({ share }) => (share === null ? null : Number(share.toFixed(2)));

function table(title, recordings, strategies) {
  const started = performance.now();
  const rows = needRecall(recordings, { strategies });
  const seconds = (performance.now() - started) / 1000;
  const [none] = rows;
  console.log(
    `\n${title}: ${recordings.length} recordings, ${none.recall[2000].of} needs from 2,000 tokens on, ${seconds.toFixed(1)} s`,
  );
  const figures = ({
    share,
    cost,
    costWithForgetting,
    recall,
    associated,
    complete,
    floor,
    recency,
    recoverable,
    invented,
    stale,
  }) => ({
    tokens: Number(share.toFixed(2)),
    bill: Number((cost / none.cost).toFixed(2)),
    forgetting: Number((costWithForgetting / none.cost).toFixed(2)),
    "NR 2k": digits(recall[2000]),
    "NR 8k": digits(recall[8000]),
    "NR 32k": digits(recall[32_000]),
    "floor 2k": digits(floor[2000]),
    "floor 8k": digits(floor[8000]),
    "floor 32k": digits(floor[32_000]),
    "recency 8k": digits(recency.recall[8000]),
    "assoc. 8k": digits(associated[8000]),
    "± 8k": associated[8000].interval?.map((end) => end.toFixed(2)).join("–"),
    complete: digits(complete),
    "recency complete": digits(recency.complete),
    "recoverable 8k": digits(recoverable[8000]),
    invented,
    stale,
  });
  console.table(Object.fromEntries(rows.map((row) => [row.name, figures(row)])));
}

function readOrSkip(file) {
  try {
    return readConversation(readFileSync(file, "utf8"));
  } catch (error) {
    console.log(`${file} is left out: ${error.message}`);
    return null;
  }
}

const [folder] = process.argv.slice(2);
if (folder !== undefined) {
  const [part, parts] = (process.env.PART ?? "1/1").split("/").map(Number);
  const min = Number(process.env.MIN_REQUESTS ?? 10);
  const files = readdirSync(folder).filter((name) => /\.jsonl?$/.test(name));
  const kinds = { chats: [], steps: [] };
  for (const name of files.sort().filter((_, index) => index % parts === part - 1)) {
    const { conversation, step } = readOrSkip(join(folder, name)) ?? {};
    const requests = conversation?.messages.filter(({ role }) => role === "assistant") ?? step?.turns ?? [];
    if (requests.length < min) continue;
    if (conversation && process.env.AS !== "steps") kinds.chats.push(conversation);
    else kinds.steps.push(step ?? (await stepOf(conversation)));
  }
  if (kinds.chats.length > 0) table("Chats", kinds.chats, chats);
  if (kinds.steps.length > 0) table("Steps", kinds.steps, turns);
} else {
  const steps = [];
  for (const mission of missions) steps.push(await recordedStep(mission));
  table("Ten missions", steps, turns);
  table(
    "Recorded chats",
    recorded.map(({ conversation }) => conversation),
    chats,
  );
}
