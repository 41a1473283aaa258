// Writes the vocabularies of the exact counters from the ranks in the package gpt-tokenizer.
//
// Every token beyond the 256 bytes is the merge of two earlier ones, so a list of pairs defines all of them. The format is
// that of src/tokens/vocabulary.rs: the numbers of the first tokens of all pairs, then of the second ones, each byte of the
// numbers in a plane of its own, because gzip compresses this best.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Problem } from "./process.mjs";
import { root, writeModule } from "./tools.mjs";

export const encodings = ["o200k", "cl100k"];

/** The modules with the vocabularies, as gzip in base64: a form that every host and bundler accepts. */
export const vocabularies = encodings.map((name) => `.cache/vocabularies/${name}.js`);

export function writeVocabularies() {
  for (const [index, name] of encodings.entries()) {
    const ranks = join(root, "node_modules", "gpt-tokenizer", "data", `${name}_base.tiktoken`);
    const saved = planes(pairs(tokens(readFileSync(ranks, "latin1")), name));
    writeModule(vocabularies[index], { base64: gzipSync(saved, { level: 9 }).toString("base64") });
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

/** How many tokens are single bytes. The token of a byte is the number of the byte, whatever its rank. */
const bytes = 256;
/** The largest vocabulary that src/tokens/vocabulary.rs supports. */
const maxTokens = 2 ** 18;

/** The two tokens that each token from 256 on merges: the parts that remain after all earlier merges of its bytes. */
function pairs(tokens, name) {
  const joins = new Map();
  const found = [];
  for (let rank = bytes; rank < tokens.length; rank++) {
    const parts = [...(tokens[rank] ?? [])];
    for (let place = earliest(parts, joins); place >= 0; place = earliest(parts, joins))
      parts.splice(place, 2, joins.get(parts[place] * maxTokens + parts[place + 1]));
    const [left, right] = parts;
    if (parts.length !== 2) throw new Problem(`Token ${rank} of ${name} is not the join of two earlier ones.`);
    joins.set(left * maxTokens + right, rank);
    found.push([left, right]);
  }
  if (tokens.length > maxTokens || !tokens.slice(0, bytes).every((token) => token.length === 1))
    throw new Problem(`The vocabulary of ${name} is not one of bytes and joins.`);
  return found;
}

/** The index of the pair to merge next, the one with the lowest rank; -1 without one. */
function earliest(parts, joins) {
  let [best, place] = [Number.POSITIVE_INFINITY, -1];
  for (let index = 0; index + 1 < parts.length; index++) {
    const join = joins.get(parts[index] * maxTokens + parts[index + 1]);
    if (join < best) [best, place] = [join, index];
  }
  return place;
}

function planes(pairs) {
  const planes = Buffer.alloc(6 * pairs.length);
  for (const [index, pair] of pairs.entries())
    for (let plane = 0; plane < 6; plane++)
      planes[plane * pairs.length + index] = pair[plane < 3 ? 0 : 1] >> (8 * (plane % 3));
  return planes;
}
