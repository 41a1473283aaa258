// Texts of six kinds to measure token counters by, and messages cut out of them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../js/random.mjs";

const root = join(import.meta.dirname, "..", "..");
const read = (...path) => readFileSync(join(root, ...path), "utf8");

function filesIn(folder, pattern) {
  const paths = readdirSync(join(root, folder), { recursive: true }).sort();
  return paths.filter((path) => pattern.test(path)).map((path) => read(folder, path));
}

/** Documents by kind. */
export function corpora() {
  const here = (name) => read("tests", "corpora", name);
  return {
    prose: [
      here("prose.txt"),
      read("LICENSE-APACHE"),
      ...["README.md", "ARCHITECTURE.md"].map((path) => proseOf(read(path))),
    ],
    json: [...rows(), read("package.json"), read("tests", "oracle", "differences.json")],
    code: [
      ...filesIn("js", /\.ts$/),
      ...filesIn("scripts", /\.mjs$/),
      // Tables are no source code that anybody wrote.
      ...filesIn("src", /^(?!.*(table|weights|case)\.rs$).*\.rs$/),
    ],
    cjk: [here("cjk.txt")],
    german: [here("german.txt")],
    agent: ["tests/conversations", "tests/runs"].flatMap((folder) => filesIn(folder, /\.md$/).map(blocksOf)),
  };
}

/** One paragraph in each of a dozen languages. */
export function languages() {
  return read("tests", "corpora", "languages.txt").trim().split("\n\n");
}

const fenced = /^(`{3,})(\w*).*\n([\s\S]*?)^\1$/gm;

function proseOf(markdown) {
  return markdown.replace(fenced, "").replace(/^\|.*\n/gm, "");
}

/** What a model sees and writes in a recorded conversation. */
function blocksOf(markdown) {
  return Array.from(markdown.matchAll(fenced), ([, , , text]) => text).join("\n");
}

/** What tools answer with. */
function rows() {
  const random = seeded(5);
  const first = ["Ada", "Björn", "Chen", "Dolores", "Emeka", "Fatima", "Grace", "Hiro", "Ingrid", "João"];
  const last = ["Okafor", "Lindqvist", "Wei", "Marchetti", "Novák", "Haddad", "Fitzgerald", "Tanaka", "Kowalski"];
  const things = [
    "Laptop stand",
    "Desk lamp",
    "Monitor arm",
    "Office chair",
    "USB-C cable",
    "Notebook, ruled",
    "Webcam 1080p",
  ];
  const states = ["pending", "shipped", "delivered", "cancelled", "returned"];
  const date = () => new Date(1.6e12 + random.below(2 ** 31) * 60).toISOString();
  const hex = (length) => Array.from({ length }, () => random.below(16).toString(16)).join("");
  const person = () => {
    const [given, family] = [random.pick(first), random.pick(last)];
    const email = `${given}.${family}@example.com`.toLowerCase();
    return {
      id: random.below(100_000),
      name: `${given} ${family}`,
      email,
      active: random.chance(0.8),
      created_at: date(),
    };
  };
  const order = () => ({
    order_id: `ord_${hex(12)}`,
    customer: person(),
    status: random.pick(states),
    items: Array.from({ length: 1 + random.below(4) }, () => ({
      sku: `${random.pick(["HW", "ST", "AV"])}-${1000 + random.below(9000)}`,
      title: random.pick(things),
      quantity: 1 + random.below(5),
      unit_price: random.below(30_000) / 100,
    })),
    notes: random.chance(0.3) ? "Leave the parcel with the neighbour if nobody is at home." : null,
  });
  const place = () => ({
    lat: random.below(180e6) / 1e6 - 90,
    lon: random.below(360e6) / 1e6 - 180,
    accuracy: random.below(50),
    at: date(),
  });
  const entry = () => ({
    level: random.pick(["info", "warn", "error"]),
    service: random.pick(["checkout", "search-api", "mailer"]),
    message: random.pick(["request completed", "retrying after timeout", "connection reset by peer", "cache miss"]),
    duration_ms: random.below(5000),
    trace: hex(32),
  });
  return [person, order, place, entry].flatMap((make) =>
    [0, 2].map((indent) => JSON.stringify(Array.from({ length: 60 }, make), null, indent)),
  );
}

/** `count` messages of `min` to `max` characters, short ones as likely as long ones on a logarithmic scale. */
export function messages(documents, random, { count, min, max }) {
  const long = documents.map((text) => text.replaceAll("\r\n", "\n")).filter((text) => text.length >= min);
  return Array.from({ length: count }, () => {
    const text = random.pick(long);
    const wanted = Math.round(min * (Math.min(max, text.length) / min) ** (random.below(1000) / 999));
    const start = random.below(text.length - wanted + 1);
    // No half of a surrogate pair at either end.
    return text.slice(start, start + wanted).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  });
}
