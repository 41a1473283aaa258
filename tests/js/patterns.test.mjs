// Patterns of JSON Schemas: they match as the engine's regular expressions do, but in linear time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bundled } from "./bundled.mjs";
import { seeded } from "./random.mjs";

const { Pattern, readSchema } = await bundled("signature", ["pattern", "object-schema"]);

/** The engine's own expression, for matches at one position; null for a pattern that it can't read. */
function expressionOf(source) {
  for (const flags of ["uy", "y"]) {
    try {
      return new RegExp(source, flags);
    } catch {}
  }
  return null;
}

/** Engines also search for empty matches within pairs of surrogates, which are one character of a Unicode pattern. */
function isMatching(expression, text) {
  let position = 0;
  const isMatchHere = (character) => {
    expression.lastIndex = position;
    position += character.length;
    return expression.test(text);
  };
  return [...(expression.unicode ? text : text.split("")), ""].some(isMatchHere);
}

/** Returns the number of texts that match. */
function agrees(source, texts) {
  const pattern = new Pattern(source);
  const expression = expressionOf(source);
  return texts.filter((text) => {
    const isMatch = pattern.test(text);
    assert.equal(isMatch, isMatching(expression, text), `${JSON.stringify(source)} on ${JSON.stringify(text)}`);
    return isMatch;
  }).length;
}

const CHARACTERS = ["a", "b", "B", "1", "_", " ", "\n", "é", "ß", "ſ", "😀", "\ud83d", "\ude00", "-"];
const ATOMS = [
  ...[
    "a",
    "b",
    "B",
    "1",
    "é",
    "ß",
    "😀",
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\n",
    "\\x61",
    "\\u0061",
    "\\0",
  ],
  ...["[ab]", "[^a]", "[a-c1]", "[^\\d_]", "[😀-😂]", "[\\]\\-]", "[]", "[^]", "[$^.|(]", "[\\b]"],
];
const UNICODE_ATOMS = [
  "\\p{L}",
  "\\P{L}",
  "\\p{Lu}",
  "\\u{1F600}",
  "\\ud83d\\ude00",
  "\\ud83d",
  "[\\u{1F600}]",
  "\\p{Script=Greek}",
];
const LOOSE_ATOMS = [
  "\\-",
  "\\_",
  "\\q",
  "{",
  "}",
  "]",
  "a{",
  "a{,2}",
  "\\u{2}",
  "\\x4",
  "\\p{1}",
  "\\012",
  "\\08",
  "[\\w-a]",
];
const QUANTIFIERS = ["*", "+", "?", "{0}", "{1}", "{2}", "{1,}", "{0,2}", "{2,3}", "*?", "+?", "??", "{1,2}?"];
const POSITIONS = ["^", "$", "\\b", "\\B"];

/** @param atoms the sources of single characters. */
function patternOf(random, atoms, modifiers, depth = 0) {
  const { below, pick, chance } = random;
  const inner = () => patternOf(random, atoms, modifiers, depth + 1);
  const piece = () => {
    if (chance(0.15)) return pick(POSITIONS);
    if (chance(0.12) && depth < 3) return `(${pick(["?=", "?!", "?<=", "?<!"])}${inner()})`;
    const one = chance(0.35) && depth < 3 ? `(${pick(["", "?:", ...modifiers])}${inner()})` : pick(atoms);
    return chance(0.4) && !/[{}?]$/.test(one) ? one + pick(QUANTIFIERS) : one;
  };
  const sequence = () => Array.from({ length: below(4) }, piece).join("");
  return Array.from({ length: chance(0.3) ? 2 + below(2) : 1 }, sequence).join("|");
}

const textOf = ({ below, pick }) => Array.from({ length: below(7) }, () => pick(CHARACTERS)).join("");

/** Modifiers that the engine knows. */
const MODIFIERS = ["?i:", "?s:", "?m:", "?ims:", "?i-s:", "?-m:"].filter((modifier) => {
  try {
    return new RegExp(`(${modifier}a)`);
  } catch {
    return false;
  }
});

for (const [title, atoms] of [
  ["Unicode patterns", [...ATOMS, ...UNICODE_ATOMS]],
  ["patterns that only match without Unicode", [...ATOMS, ...LOOSE_ATOMS]],
]) {
  test(`random ${title} match as the engine's do`, () => {
    const random = seeded(31);
    let matching = 0;
    for (let run = 0; run < 6000; run++) {
      const source = patternOf(random, atoms, MODIFIERS);
      const texts = ["", ...Array.from({ length: 5 }, () => textOf(random))];
      if (expressionOf(source) === null) assert.throws(() => new Pattern(source), { code: "invalid_schema" });
      else matching += agrees(source, texts);
    }
    assert.ok(matching > 5000 && matching < 31_000, `${matching} texts match`);
  });
}

test("patterns of schemas in use match as the engine's do", () => {
  const texts = [
    ...["", "a@b.co", "a..b@c.de", ".a@b.de", "first.last@sub.example.org", "2024-02-29", "2023-02-29", "12:30:00Z"],
    ...[
      "9f8b2c1e-0d3a-4b5c-8d7e-1f2a3b4c5d6e",
      "192.168.0.1",
      "300.1.1.1",
      "::1",
      "Passw0rd!",
      "password",
      "AB",
      "abc",
    ],
    ...[
      "arn:aws:iam::123456789012:role/x",
      "v1.2.3-rc.1+5",
      "01.2.3",
      "#ffAA00",
      "x".repeat(300),
      "a\nb",
      "Größe",
      "naïve",
    ],
  ];
  const sources = [
    String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
    String.raw`^((\d\d[2468][048]|\d\d[13579][26]|\d\d0[48])-02-29|\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(02)-(0[1-9]|1\d|2[0-8])))$`,
    `^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|0{8}-0{4})$`,
    String.raw`^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$`,
    String.raw`^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])(?=.*[^\w\s]).{8,}$`,
    String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.\w+)*))?(?:\+([\w-]+))?$`,
    String.raw`^arn:aws[a-zA-Z-]*:[\w+=/,.@-]{1,64}:[^:]*:\d{12}:.{1,2048}$`,
    String.raw`^[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*$`,
    ...[
      "^.+$",
      "^#[0-9a-f]{6}$",
      "^[A-Z]{2}$",
      "^\\p{L}+$",
      "^.{1,255}$",
      "^[\\s\\S]{1,100000}$",
      "^(?<year>\\d{4})-",
      "(?<!\\.)b",
    ],
  ];
  for (const source of sources) agrees(source, texts);
});

test("patterns whose time is exponential for the engine are matched at once", () => {
  const long = "a".repeat(50_000);
  for (const [source, text, isMatch] of [
    ["^(a+)+$", `${long}!`, false],
    ["^(a+)+$", long, true],
    ["(a|a)*b", long, false],
    ["(.*)*x", long, false],
    ["(?:.*){9}x", long, false],
    ["^(\\w+\\s?)*$", `${long}!`, false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", long, false],
    ["(?=(a+)+$)b", long, false],
    ["^(?:(?<!(a|aa)+)a|a)*$", `${long}!`, false],
    ["^(\\p{L}|\\p{Ll}|é)*$", `${"é".repeat(50_000)}1`, false],
    ["^a{1,40000}$", long, false],
    ["^a{1,60000}$", long, true],
    ["a{20000,40000}b", long, false],
  ]) {
    assert.equal(new Pattern(source).test(text), isMatch, source);
  }
});

test("the time of a repeated group is bounded by the number of its copies", () => {
  const nested = `${"(".repeat(5)}a${"|b){9}".repeat(5)}`;
  for (const source of ["(?:ab){100000}", "(?:a|b){0,5000}", nested]) {
    assert.throws(() => new Pattern(source), {
      code: "invalid_schema",
      message: /repeats groups too often/,
      details: { pattern: source },
    });
  }
  // Groups without characters have no copies, however often they are repeated.
  agrees("^(?:){1000000000}(?:a?b?){0}$", ["", "a"]);
  agrees("^(?:[a-z]{2}-){3,40}$", ["ab-cd-ef-", "ab-cd-", "ab-".repeat(41)]);
});

test("a pattern that no engine matches in linear time is refused with the place", () => {
  for (const [source, token] of [
    ["^(['\"]).*\\1$", "\\1"],
    ["(?<q>a)\\k<q>", "\\k"],
    ["\\_\\12", "\\12"],
  ]) {
    assert.throws(
      () => readSchema({ type: "string", pattern: source }),
      (error) => {
        assert.equal(error.code, "invalid_schema");
        assert.ok(
          error.message.includes(JSON.stringify(source)) && error.message.includes(`whose ${token}`),
          error.message,
        );
        assert.match(error.hint, /without back-references/);
        return true;
      },
    );
  }
  assert.throws(() => readSchema({ pattern: "(" }), { code: "invalid_schema", message: /"\(", which can't be read/ });
});

test("a schema's pattern, patternProperties and propertyNames match in linear time", async () => {
  const text = `${"a".repeat(50_000)}!`;
  const hostile = { pattern: "^(a+)+$" };
  const { fit } = readSchema({
    properties: { note: hostile },
    patternProperties: { "^(a|a)*$": false, b$: { type: "integer" } },
    propertyNames: { pattern: "^(\\w+\\s?)*!?$" },
  });
  assert.deepEqual((await fit({ note: text })).problems, ["note: does not match ^(a+)+$"]);
  assert.deepEqual(await fit({ [text]: 1, ab: 2 }), { object: { [text]: 1, ab: 2 } });
  assert.equal((await fit({ [text.slice(0, -1)]: 1, ab: "x" })).problems.length, 2);
});
