// Token counters: the exact ones compared with tiktoken and gpt-tokenizer, and calibration.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as cl100kPeer from "gpt-tokenizer/encoding/cl100k_base";
import * as o200kPeer from "gpt-tokenizer/encoding/o200k_base";
import { calibrate, estimate } from "turnfold/chat";
import { cl100k } from "turnfold/tokens/cl100k";
import { o200k } from "turnfold/tokens/o200k";
import { root } from "../../scripts/tools.mjs";
import { seeded, share } from "./random.mjs";
import { refuses } from "./refuses.mjs";

// By default gpt-tokenizer throws for special tokens; with this option they are ordinary text, as in our counters.
const ordinary = { disallowedSpecial: new Set() };
const encodings = [
  {
    counter: await o200k(),
    peer: (text) => o200kPeer.countTokens(text, ordinary),
    tokens: tokensOf(o200kPeer, "o200k"),
  },
  {
    counter: await cl100k(),
    peer: (text) => cl100kPeer.countTokens(text, ordinary),
    tokens: tokensOf(cl100kPeer, "cl100k"),
  },
];

/** The tokens of a text as bytes. */
function tokensOf(peer, name) {
  const ranks = readFileSync(join(root, "node_modules", "gpt-tokenizer", "data", `${name}_base.tiktoken`), "latin1");
  const bytes = [];
  for (const [, base64, rank] of ranks.matchAll(/^(\S+) (\d+)$/gm)) bytes[rank] = Buffer.from(base64, "base64");
  return (text) => peer.encode(text, ordinary).map((token) => bytes[token]);
}

/**
 * Texts that gpt-tokenizer counts as tiktoken does: with a byte order mark, U+0085 or a `ſ` behind an apostrophe it does
 * not. The vectors of tiktoken have these.
 */
function same(text) {
  for (const { counter, peer } of encodings) {
    const [counted, expected] = [counter.count(text), peer(text)];
    if (counted !== expected) {
      const shown = JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
      assert.fail(`${counter.name} counts ${counted}, gpt-tokenizer ${expected}: ${shown}`);
    }
  }
}

/** The expected lengths: a character belongs to the token with its last byte. */
function lengthsOf(tokens) {
  const bytes = Buffer.concat(tokens);
  const isInside = (place) => (bytes[place] & 0xc0) === 0x80;
  let [end, before] = [0, 0];
  return tokens.map(({ length }) => {
    end += length;
    let last = end;
    while (isInside(last)) last--;
    const units = bytes.toString("utf8", before, last).length;
    before = last;
    return units;
  });
}

function sameLengths(text) {
  for (const { counter, tokens } of encodings) {
    const lengths = counter.tokenLengths(text);
    assert.deepEqual(lengths, lengthsOf(tokens(text)), `${counter.name}: ${JSON.stringify(text.slice(0, 300))}`);
    assert.equal(lengths.length, counter.count(text));
    assert.equal(
      lengths.reduce((sum, length) => sum + length, 0),
      text.length,
    );
  }
}

describe("exact counters", () => {
  test("counters have a name and a method, and every call returns the same counter", async () => {
    for (const [load, name] of [
      [o200k, "o200k"],
      [cl100k, "cl100k"],
    ]) {
      const counter = await load();
      assert.deepEqual([counter.name, counter.method], [name, "exact"]);
      assert.equal(load(), load());
      assert.equal(await load(), counter);
    }
  });

  test("texts have the known counts", () => {
    const cases = {
      "": [0, 0],
      "Hello, world!": [4, 4],
      "don't DON'T": [2, 4],
      "<|endoftext|>": [7, 7],
      模型按回合工作: [5, 7],
    };
    for (const [text, expected] of Object.entries(cases)) {
      assert.deepEqual(
        encodings.map(({ counter }) => counter.count(text)),
        expected,
        text,
      );
    }
  });

  test("texts have the counts of tiktoken", () => {
    const vectors = readFileSync(join(root, "tests", "corpora", "tiktoken-vectors.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    assert.ok(vectors.length > 1000);
    for (const vector of vectors) {
      const [text, ...expected] = JSON.parse(vector);
      for (const [index, { counter }] of encodings.entries()) {
        assert.equal(counter.count(text), expected[index], `${counter.name}: ${vector}`);
        assert.equal(counter.tokenLengths(text).length, expected[index], `${counter.name}: ${vector}`);
      }
    }
  });

  test("arguments other than texts are refused", () => {
    for (const wrong of [undefined, null, 7, ["a"], new String("a"), Symbol("a")]) {
      for (const { counter } of encodings) {
        refuses(() => counter.count(wrong), "invalid_argument");
        refuses(() => counter.tokenLengths(wrong), "invalid_argument");
      }
    }
  });

  test("texts that are hard to split have the counts of gpt-tokenizer", () => {
    const texts = [
      "\ud800", "\udc00x", "a\ud83d", "\ud83d\ud83d\ude00", "\ude00\ud83d",
      " ", "  ", "\n", " \n", "\n ", " \n \n  ", "\r\n\r\n", "a  \r\n  b", "\t\t\tx", " \u3000\u3000x", "\u00a0\u00a0x",
      " \u2028\u2029\n", "\v\f", "\0\0\0", "\x7f\x80\x9f",
      "I'M don'T we'LL you'Re they've 's's 'S'd''ll'", "it’s", "o'clock", "''saved", " 'twas", "x'RE'VE",
      "123456789012", "٣٤٥٦", "½⅓", "Ⅻⅻ", "1,234.56", "0x7fff", "²³",
      "getHTTPResponseCode", "XMLhttpREQUEST", "ǅungla ǅǅ", "ÄÖÜäöüß ẞ", "ᾈΑι", "ªºʰʱ", "Ⓐⓐ🄰",
      "e\u0301\u0301 \u0301a \u0301\u0301\nA\u0301B", "a\u200db", "क्षि नमस्ते", "กำลัง", "한국어 조사는", "مرحبا بالعالم",
      "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪🇩", "☃︎☃️", "…———…", "///\n//\n/", "();\n\n/**/", "))))\r\n\r\n\r", "<|im_start|>user<|im_sep|>",
      "https://example.com/a?b=c&d=%20#e", "\u{10ffff}\u{e000}\u{e0100}", "𝒳𝔘𝟘", "\u{20000}\u{323af}",
    ]; // biome-ignore format: one line for each kind
    for (const text of texts)
      for (const around of [text, `a${text}`, `${text}b`, ` ${text} `, text + text]) {
        same(around);
        sameLengths(around);
      }
  });

  // The table is of Unicode 17; a host with another version has other categories for newer characters.
  const isTableOfHost = Number.parseInt(process.versions.unicode, 10) === 17;
  test("every character of Unicode is split according to its category", { skip: !isTableOfHost }, () => {
    // Each text has several characters, each between letters of both cases and digits, because gpt-tokenizer is slow.
    let texts = "";
    for (let code = 0x80; code <= 0x10ffff; code++) {
      if (code === 0x85 || code === 0xfeff) continue;
      const character = String.fromCodePoint(code);
      // Of ideographs, syllables and unassigned characters only a sample is tested.
      if (
        /[\p{Cn}\p{Co}\p{Cs}\u3400-\u9fff\uac00-\ud7af\u{12000}-\u{16fff}\u{17000}-\u{18fff}\u{20000}-\u{3ffff}]/u.test(
          character,
        ) &&
        code % 61 !== 0
      )
        continue;
      texts += `B${character}c 1${character} ${character}.`;
      if (texts.length > 4000) {
        same(texts);
        texts = "";
      }
    }
    same(texts);
  });

  test("tokenLengths counts a character for the token with its last byte", () => {
    const [{ counter }] = encodings;
    assert.deepEqual(counter.tokenLengths(""), []);
    assert.deepEqual(counter.tokenLengths("Hello, world!"), [5, 1, 6, 1]);
    assert.deepEqual(counter.tokenLengths("a🫨b"), [1, 0, 0, 2, 1]);
    assert.deepEqual(counter.tokenLengths("\ud800"), [1]);
  });

  test("tokenLengths of random texts equals that of gpt-tokenizer", () => {
    const random = seeded(20_261_125);
    for (let round = 0; round < share(5000); round++) sameLengths(text(random));
  });

  test("tokenLengths of long pieces equals that of gpt-tokenizer", () => {
    for (const piece of ["a", "=", " ", "\n", "中", "😀", "\u0301", "0A", "ไทย"])
      for (const length of [95, 96, 97, 500]) sameLengths(piece.repeat(length));
  });

  test("count and tokenLengths do not affect each other", () => {
    const long = "word ".repeat(500_000);
    for (const { counter } of encodings) {
      const lengths = counter.tokenLengths(long);
      assert.equal(counter.count("Hello, world!"), 4);
      assert.equal(counter.count(long), lengths.length);
      assert.deepEqual(counter.tokenLengths("Hello, world!"), [5, 1, 6, 1]);
    }
  });

  test("random texts have the counts of gpt-tokenizer", () => {
    const random = seeded(20_260_722);
    for (let round = 0; round < share(20_000); round++) same(text(random));
  });

  test("long pieces have the counts of gpt-tokenizer", () => {
    const random = seeded(7);
    for (const length of [90, 95, 96, 97, 98, 128, 129, 500, 1500]) {
      for (const piece of ["a", "=", " ", "\n", "中", "😀", "\u0301", "-=", "ab", "0A", "ไทย"])
        same(piece.repeat(length));
      for (let round = 0; round < 10; round++) {
        same(Array.from({ length }, () => random.pick("abcdefgh")).join(""));
        same(Array.from({ length }, () => random.pick("ACGT")).join(""));
        same(Array.from({ length }, () => random.pick("=-*#_~!/\\")).join(""));
        same(Array.from({ length }, () => String.fromCharCode(0x4e00 + random.below(0x2000))).join(""));
      }
    }
  });

  test("a megabyte, and pieces of fifty thousand characters, are counted in linear time", { timeout: 120_000 }, () => {
    const known = { a: [6250, 6250], " ": [392, 391], "=": [781, 781] };
    for (const [character, expected] of Object.entries(known)) {
      const counts = encodings.map(({ counter }) => counter.count(character.repeat(50_000)));
      assert.deepEqual(counts, expected);
    }
    const line = "The quick brown fox jumps over the lazy dog. ";
    const lines = Math.ceil(2 ** 20 / line.length);
    for (const { counter } of encodings) {
      // Every line but the first begins with the last space of the line before.
      const perLine = counter.count(line.repeat(3)) - counter.count(line.repeat(2));
      assert.equal(counter.count(line.repeat(lines)), counter.count(line) + perLine * (lines - 1));
      assert.equal(counter.count("a".repeat(2 ** 20)), 2 ** 20 / 8);
    }
  });

  test("counts are the same when repeated in any order", () => {
    const random = seeded(99);
    const texts = Array.from({ length: 500 }, () => text(random));
    for (const { counter } of encodings) {
      const counts = texts.map((text) => counter.count(text));
      for (let index = texts.length - 1; index >= 0; index--) assert.equal(counter.count(texts[index]), counts[index]);
    }
  });
});

const alphabets = [
  "abcdefghijklmnopqrstuvwxyz",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  "äöüßÄÖÜéèñçøåžščřŁğİı",
  "0123456789",
  "٠١٢३४५²½Ⅻ①",
  " \t\n\r",
  "  \u00a0\u3000\u2003\u2028\v\f",
  ".,;:!?-_=+*/\\|<>()[]{}#@&%$^~`\"'",
  "абвгдежзийклмнАБВГД",
  "αβγδεζηΑΒΓΔΣσς",
  "的一是不了人我在有他这中大来上国",
  "のにはをたがでてとしれさいる一日本語",
  "한국어조사는가을에",
  "العربيةمرحبا",
  "שלוםעברית",
  "नमस्तेक्षिा",
  "สวัสดีกำลัง",
  "\u0301\u0308\u093e\u200d\ufe0f\u20e3",
  ["😀", "👩‍💻", "🇩🇪", "👍🏽", "☃️", "🏳️‍🌈"],
  ["'s", "'S", "'t", "'LL", "'ve", "'Re", "'d", "'m", "’s", "'"],
  ["\r\n", "\n\n", "\n  ", "  \n", "\r", " \r\n "],
  ["\ud800", "\udc00", "\udfff", "\udbff"],
  ["\0", "\x01", "\x1b", "\x7f", "\x80", "\x9f", "\u200b"],
  ["the", " and", " The", "function", "return", "()", ");\n", "//", "/*", "=>", "<|endoftext|>", "http://"],
];

/** A text of short and long runs, each over one alphabet. */
function text(random) {
  let text = "";
  const runs = 1 + random.below(10);
  for (let run = 0; run < runs; run++) {
    const alphabet = [...random.pick(alphabets)];
    const length = 1 + random.below(random.chance(0.05) ? 60 : 8);
    for (let index = 0; index < length; index++) text += random.pick(alphabet);
    if (random.chance(0.02)) text += String.fromCharCode(random.below(0xfeff));
  }
  return text;
}

describe("calibration", () => {
  const ones = { name: "units", method: "exact", count: (text) => text.length };
  const hundred = "x".repeat(100);

  test("a calibrated counter scales by the reported counts, and its name has the factor", () => {
    const counter = calibrate(ones, [{ counted: 1000, reported: 1120 }]);
    assert.deepEqual([counter.name, counter.method, counter.count(hundred)], ["units × 1.12", "estimate", 112]);
    assert.equal(counter.count(""), 0);
    assert.equal(calibrate(ones, [{ counted: 10, reported: 6 }]).count("x"), 1);
  });

  test("without samples the factor is 1", () => {
    const counter = calibrate(estimate, []);
    assert.deepEqual([counter.name, counter.method], ["estimate × 1.00", "estimate"]);
    assert.equal(counter.count("one two three"), estimate.count("one two three"));
  });

  test("large samples weigh more than small ones", () => {
    const samples = [
      { counted: 10, reported: 20 },
      { counted: 10_000, reported: 11_000 },
    ];
    assert.equal(calibrate(ones, samples).count(hundred), 110);
    assert.equal(calibrate(ones, samples.toReversed()).count(hundred), 110);
  });

  test("later samples weigh more than earlier ones, so that a change of model is learned", () => {
    const before = Array(8).fill({ counted: 1000, reported: 1000 });
    const after = Array(8).fill({ counted: 1000, reported: 1300 });
    assert.equal(calibrate(ones, [...before, ...after]).count(hundred), 120);
    assert.equal(calibrate(ones, [...before, ...after, ...after, ...after]).count(hundred), 128);
  });

  test("the factor is between 0.3 and 5", () => {
    assert.equal(calibrate(ones, [{ counted: 10, reported: 9000 }]).count(hundred), 500);
    assert.equal(calibrate(ones, [{ counted: 9000, reported: 10 }]).count(hundred), 30);
    assert.equal(
      calibrate(ones, Array(5000).fill({ counted: Number.MAX_SAFE_INTEGER, reported: 1 })).count(hundred),
      30,
    );
  });

  test("invalid counters and samples are refused", () => {
    refuses(() => calibrate({ name: "x" }, []), "invalid_counter");
    refuses(() => calibrate({ ...ones, count: () => -1 }, []).count("a"), "invalid_counter");
    refuses(() => calibrate(ones, []).count(7), "invalid_argument");
    for (const wrong of [undefined, null, {}, "samples", 3]) refuses(() => calibrate(ones, wrong), "invalid_samples");
    const good = { counted: 1, reported: 1 };
    const wrongSamples = [
      null,
      undefined,
      7,
      {},
      { counted: 1 },
      { counted: 0, reported: 1 },
      { counted: 1, reported: 0 },
      { counted: -1, reported: 1 },
      { counted: Number.NaN, reported: 1 },
      { counted: 1, reported: Number.POSITIVE_INFINITY },
      { counted: "1", reported: 1 },
      { counted: 1n, reported: 1 },
      {
        get counted() {
          throw new Error("mine");
        },
      },
    ];
    for (const wrong of wrongSamples) refuses(() => calibrate(ones, [good, wrong]), "invalid_samples");
    // biome-ignore lint/suspicious/noSparseArray: the test is about a hole.
    refuses(() => calibrate(ones, [good, , good]), "invalid_samples");
  });
});
