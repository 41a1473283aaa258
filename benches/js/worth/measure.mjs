// What a policy for histories is worth on a recorded session: its bill, and what later requests need and still see. Apart from the
// messages that the package sends, nothing is computed by the package: the bill, the names and the lines are this file's own.

/** Prices of a written and of a read token relative to a fresh one, and the seconds until an unused cache is gone. */
export const PRICES = [
  { name: "1.25/0.1", write: 1.25, read: 0.1, lifetime: 300 },
  { name: "1/0.1", write: 1, read: 0.1, lifetime: 300 },
  { name: "2/0.1, 1 h", write: 2, read: 0.1, lifetime: 3600 },
];

/** Price of a token of a summary, or of a call that fetches something again. */
const OUTPUT_PRICE = 5;

/** Minimum length of a cached beginning in tokens. */
const MINIMUM = 1024;

/** Tokens around a message. */
const FRAMING = 4;

/** Tokens of a call that fetches something again. */
const FETCH_CALL = 50;

/** Minimum distance in tokens of the needs of `names` and `lines`. */
const FAR = 8000;

/** A name or line that more requests use is not a need: it is visible everywhere. */
const MAX_REQUESTS = 10;

/** The requests whose history has at most this many messages are the beginning of a session. */
const BEGINNING = 60;

/** Yields the texts in data, without keys. */
function* leavesOf(value) {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) yield* leavesOf(item);
}

const EXTENSIONS =
  "bash|cc?|cfg|cjs|conf|cpp|cs|css|csv|diff|env|go|h|hpp|html|ini|java|jpg|js|jsonl?|jsx|kt|lock|log|mdx?|mjs|mod|patch|pdf|php|png|proto|py|rb|rs|scss|sh|sql|sum|svelte|svg|tf|toml|tsx?|txt|vue|wasm|xml|ya?ml|zsh";

const ADDRESS = /https?:\/\/[^\s"'`<>()[\]{}\\\p{C}]+|(?<![\w./+@-])[\w.+-]+@[\w.-]+\.[A-Za-z]{2,}(?![\w/@-])/gu;

/** What other names look like. The members of values in programs are none, such as `error.message`. */
const PATTERNS = [
  // Paths, and file names.
  /(?:[\w.@~-]+)?(?:\/[\w.@+-]+)+/g,
  new RegExp(`[\\w@+-][\\w.@+-]*\\.(?:${EXTENSIONS})\\b`, "g"),
  // Several words joined.
  /\w{2,}(?:-\w{2,})+/g,
  /\w+(?:_[A-Za-z]|[a-z][A-Z])\w+/g,
  // Codes and hashes.
  /\b(?:[A-Za-z_]*\d){3}\w*/g,
];

const [SHORTEST, LONGEST] = [6, 120];

/** True for texts of the length of names with a letter; of paths, only those with two named parts. */
function isName(text) {
  if (text.length < SHORTEST || text.length > LONGEST || !/[A-Za-z]/.test(text)) return false;
  return !text.includes("/") || text.split("/").filter((part) => /\w/.test(part)).length > 1;
}

/** Returns the addresses, paths, file names, joined words and codes in a text, each once. */
export function namesOf(text) {
  const names = new Set();
  const add = (found) => {
    const name = found.replace(/[.,:;/]+$/, "");
    if (isName(name)) names.add(name);
  };
  const rest = text.replace(ADDRESS, (found) => {
    add(found);
    return " ";
  });
  for (const pattern of PATTERNS) for (const [found] of rest.matchAll(pattern)) add(found);
  return names;
}

/** Minimum length of a line. */
const LINE = 20;

/** Yields the lines of a text without indentation, and those behind a place in a file or a sign of a diff also alone. */
function* linesIn(text) {
  for (const line of text.split("\n")) {
    const plain = line.trim();
    if (plain.length < LINE) continue;
    yield plain;
    const bare = withoutPlace(plain);
    if (bare !== plain && bare.length >= LINE) yield bare;
  }
}

const withoutPlace = (line) => line.replace(/^(?:[^\s:]+:\d+[:-]|\d+\s*[→|:\t]|[+-])\s*/, "");

/** Returns the lines of a text without indentation and without their place in a file, each once. */
export function linesOf(text) {
  const lines = text.split("\n").map((line) => withoutPlace(line.trim()));
  return new Set(lines.filter((line) => line.length >= LINE));
}

/** True for lines with several words; a path alone is a name. */
const isRepeatable = (line) => line.length >= LINE && /\s/.test(line) && /\p{L}/u.test(line);

/** A text of messages, with what has been looked for in it. */
export class Text {
  words = null;
  found = new Map();

  constructor(text) {
    this.text = text;
  }

  /** True when the text has the name between characters that do not belong to words. */
  hasName(name) {
    return this.once(name, () => {
      this.words ??= new Set(this.text.match(/\w+/g));
      if (!this.words.has(/\w+/.exec(name)[0])) return false;
      const isWord = (at) => /\w/.test(this.text[at] ?? " ");
      for (let at = this.text.indexOf(name); at >= 0; at = this.text.indexOf(name, at + 1)) {
        if (!(isWord(at - 1) || isWord(at + name.length))) return true;
      }
      return false;
    });
  }

  hasLine(line) {
    return this.once(`\n${line}`, () => this.text.includes(line));
  }

  once(key, look) {
    let known = this.found.get(key);
    if (known === undefined) {
      known = look();
      this.found.set(key, known);
    }
    return known;
  }
}

/** The texts and tokens of messages, by content. */
export class Texts {
  constructor(count) {
    this.count = count;
    this.byMessage = new WeakMap();
    this.byContent = new Map();
  }

  of(message) {
    let known = this.byMessage.get(message);
    if (known === undefined) {
      const { role, content, toolCalls = [] } = message;
      const text =
        typeof content === "string"
          ? content
          : (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("\n");
      const calls = toolCalls.map(({ name, args }) => `\n${name} ${JSON.stringify(args)}`).join("");
      const sent = text + calls;
      const key = `${role}\n${sent}`;
      known = this.byContent.get(key);
      if (known === undefined) {
        const searched = [sent, ...toolCalls.flatMap(({ args }) => [...leavesOf(args)])].join("\n");
        known = { key, sent, tokens: FRAMING + this.count(sent), searched: new Text(searched) };
        this.byContent.set(key, known);
      }
      this.byMessage.set(message, known);
    }
    return known;
  }
}

/** The bill of the requests of a session. Each reads its common beginning with the last one from the cache, and writes the rest. */
export class Bill {
  cost = 0;
  tokens = 0;
  last = [];
  lastAt;

  constructor(texts, prices) {
    this.texts = texts;
    this.prices = prices;
  }

  /** Adds a request; `at` is its time in milliseconds, if known. */
  add(messages, at) {
    const pieces = messages.map((message) => this.texts.of(message));
    const { read, written, fresh } = this.split(pieces, at);
    this.cost += this.prices.read * read + this.prices.write * written + fresh;
    this.tokens += read + written + fresh;
    this.last = pieces;
    this.lastAt = at;
  }

  /**
   * Adds a request for a summary: `behind` the last request it reads that from the cache, otherwise `input` is the number of its
   * tokens, none of them cached.
   */
  addSummary({ input, output, behind = false }) {
    const known = behind ? sum(this.last) : 0;
    this.cost += this.prices.read * known + (input - Math.min(known, input)) + OUTPUT_PRICE * output;
    this.tokens += input;
  }

  split(pieces, at) {
    const total = sum(pieces);
    if (total < MINIMUM) return { read: 0, written: 0, fresh: total };
    const { last, lastAt } = this;
    const isCold = at !== undefined && lastAt !== undefined && at - lastAt > 1000 * this.prices.lifetime;
    let same = 0;
    while (same < pieces.length && same < last.length && pieces[same].key === last[same].key) same++;
    let known = sum(pieces.slice(0, same));
    if (same < pieces.length && same < last.length) known += this.texts.count(commonText(pieces[same], last[same]));
    const read = isCold || known < MINIMUM || sum(last) < MINIMUM ? 0 : known;
    return { read, written: total - read, fresh: 0 };
  }
}

const sum = (pieces) => pieces.reduce((total, { tokens }) => total + tokens, 0);

function commonText({ key: left, sent }, { key: right }) {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  const head = left.length - sent.length;
  return length <= head ? "" : left.slice(head, length);
}

/** A recorded session: its requests, one for each assistant message, and what they need of the messages before them. */
export class Session {
  constructor(name, messages, count) {
    this.name = name;
    this.messages = messages;
    this.texts = new Texts(count);
    this.originals = messages.map((message) => this.texts.of(message));
    /** The positions of each original by its content. */
    this.placesOf = new Map();
    for (const [index, { key }] of this.originals.entries()) {
      this.placesOf.set(key, [...(this.placesOf.get(key) ?? []), index]);
    }
    this.requests = messages.flatMap(({ role }, index) => {
      if (role !== "assistant" || index === 0) return [];
      const at = messages[index - 1].timestamp ?? messages[index].timestamp;
      return [{ index, at: at === undefined ? undefined : new Date(at).getTime(), needs: [] }];
    });
    for (const [number, request] of this.requests.entries()) {
      const before = this.requests[number - 1]?.at;
      if (before !== undefined && request.at !== undefined) request.idle = Math.max(0, request.at - before) / 1000;
    }
    this.findNeeds();
  }

  findNeeds() {
    const used = this.requests.map(({ index }) => {
      const leaves = (this.messages[index].toolCalls ?? []).flatMap(({ args }) => [...leavesOf(args)]);
      const names = new Set(leaves.flatMap((leaf) => [...namesOf(leaf)]));
      const lines = leaves.flatMap((leaf) => leaf.split("\n").map((line) => line.trim()));
      return [
        ...[...names].map((text) => ({ isName: true, text })),
        ...[...lines]
          .filter((line) => line.length >= 20 && isRepeatable(line))
          .map((text) => ({ isName: false, text })),
      ];
    });
    const times = new Map();
    for (const needs of used) for (const { text } of needs) times.set(text, (times.get(text) ?? 0) + 1);
    const places = this.findPlaces(
      new Set(used.flatMap((needs) => needs.map(({ isName, text }) => `${isName}${text}`))),
    );
    const before = [0];
    for (const { tokens } of this.originals) before.push(before.at(-1) + tokens);
    for (const [number, { index, needs }] of this.requests.entries()) {
      for (const { isName, text } of used[number]) {
        if (times.get(text) > MAX_REQUESTS) continue;
        const all = places.get(`${isName}${text}`) ?? [];
        const own = all.filter((place) => place < index);
        // What a system message has is in every request.
        if (own.length === 0 || own.some((place) => this.messages[place].role === "system")) continue;
        needs.push({ isName, text, places: own, distance: before[index] - before[own.at(-1) + 1] });
      }
    }
  }

  /** Returns the indexes of the messages with each of the names and lines. */
  findPlaces(wanted) {
    const byWord = new Map();
    const byLine = new Map();
    const add = (map, key, index) => {
      const known = map.get(key);
      if (known === undefined) map.set(key, [index]);
      else if (known.at(-1) !== index) known.push(index);
    };
    for (const [index, { searched }] of this.originals.entries()) {
      for (const word of new Set(searched.text.match(/\w+/g))) add(byWord, word, index);
      for (const line of linesIn(searched.text)) add(byLine, line, index);
    }
    const places = new Map();
    for (const key of wanted) {
      if (key.startsWith("false")) places.set(key, byLine.get(key.slice(5)) ?? []);
      else {
        const name = key.slice(4);
        const words = name.match(/\w+/g).map((word) => byWord.get(word) ?? []);
        const [rarest] = words.sort((left, right) => left.length - right.length);
        places.set(
          key,
          rarest.filter((index) => this.originals[index].searched.hasName(name)),
        );
      }
    }
    return places;
  }

  /** Returns the needs that the messages of a request do not show. */
  missing(needs, messages) {
    const shown = new Set();
    const changed = [];
    for (const message of messages) {
      const text = this.texts.of(message);
      const places = this.placesOf.get(text.key);
      if (places === undefined) changed.push(text.searched);
      else for (const place of places) shown.add(place);
    }
    return needs.filter(({ isName, text, places }) => {
      if (places.some((place) => shown.has(place))) return false;
      return !changed.some((searched) => (isName ? searched.hasName(text) : searched.hasLine(text)));
    });
  }
}

const newTotals = () => ({ requests: 0, tokens: 0, cost: 0, names: [0, 0], lines: [0, 0], repaid: 0 });

/**
 * Measures the requests of a session as a policy sends them, for the whole session and for its beginning.
 *
 * `repaid` adds to the cost of each request that misses something one more request, which reads it from the cache, a call, and the
 * smallest earlier messages with what is missing, written. Each message is fetched once.
 *
 * @param sent yields `{ messages, summaries }` for each request of the session.
 */
export async function measure(session, sent, prices) {
  const bill = new Bill(session.texts, prices);
  const whole = newTotals();
  let beginning = newTotals();
  const fetched = new Set();
  let extra = 0;
  let number = 0;
  for await (const { messages, summaries = [] } of sent) {
    const { index, at, needs } = session.requests[number++];
    for (const summary of summaries) bill.addSummary(summary);
    bill.add(messages, at);
    const missing = session.missing(needs, messages);
    for (const [kind, isName] of [
      ["names", true],
      ["lines", false],
    ]) {
      const isFar = (need) => need.isName === isName && need.distance >= FAR;
      const of = needs.filter(isFar).length;
      whole[kind][0] += of - missing.filter(isFar).length;
      whole[kind][1] += of;
    }
    extra += fetch(session, missing, bill, fetched);
    Object.assign(whole, { requests: number, tokens: bill.tokens, cost: bill.cost, repaid: bill.cost + extra });
    if (index <= BEGINNING) beginning = structuredClone(whole);
  }
  return { whole, beginning };
}

/** Returns the cost of fetching what is missing, of messages that were not fetched before. */
function fetch(session, missing, bill, fetched) {
  let tokens = 0;
  for (const { places } of missing) {
    if (places.some((place) => fetched.has(place))) continue;
    const smallest = places.reduce((best, place) =>
      session.originals[place].tokens < session.originals[best].tokens ? place : best,
    );
    fetched.add(smallest);
    tokens += session.originals[smallest].tokens;
  }
  const { read, write } = bill.prices;
  return tokens === 0 ? 0 : read * sum(bill.last) + OUTPUT_PRICE * FETCH_CALL + write * tokens;
}
