// Writes src/unicode/kind/table.rs from the Unicode data of this Node. For maintainers, when a new version of Unicode is out:
// the table is checked in, so that token counts do not depend on the compiler.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "./process.mjs";
import { root } from "./tools.mjs";

/** The bits of src/unicode/kind.rs, lowest first. */
const properties = [/\p{Alphabetic}/u, /\p{Uppercase}/u, /\p{Lowercase}/u];

/** The categories above those bits, numbered from 1; 0 is any other. */
const categories = [/[\p{Lu}\p{Lt}]/u, /\p{Ll}/u, /[\p{Lm}\p{Lo}]/u, /\p{M}/u, /\p{N}/u, /\p{P}/u, /\p{S}/u];

main(import.meta, () => {
  const runs = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const category = categories.findIndex((pattern) => pattern.test(character)) + 1;
    const bits = properties.reduce(
      (sum, pattern, bit) => sum | (Number(pattern.test(character)) << bit),
      category << 3,
    );
    if (runs.at(-1)?.bits !== bits) runs.push({ start: code, bits });
  }
  const lengths = runs.map(({ start }, index) => digits((runs[index + 1]?.start ?? 0x110000) - start));
  const letters = runs.map(({ bits }) => String.fromCharCode(0x40 + bits));
  writeFileSync(
    join(root, "src", "unicode", "kind", "table.rs"),
    `//! The kinds of all code points, by Unicode ${Number.parseInt(process.versions.unicode, 10)}.

use std::cell::OnceCell;

use crate::unicode::runs::{Decoded, Runs};

thread_local! {
    static DECODED: OnceCell<Decoded> = const { OnceCell::new() };
}

/// A letter is \`@\` plus the bits of [\`super\`].
#[rustfmt::skip]
pub(super) static KINDS: Runs = Runs {
    decoded: &DECODED,
    lengths: ${literal(lengths.join(""))},
    letters: ${literal(letters.join(""))},
};
`,
  );
});

/** A number in the base 32 of src/unicode/runs.rs. */
function digits(number) {
  let text = String.fromCharCode(0x30 + (number % 32));
  for (let rest = number >> 5; rest > 0; rest >>= 5) text = String.fromCharCode(0x50 + (rest % 32)) + text;
  return text;
}

function literal(text) {
  const lines = text.match(/.{1,100}/g).map((line) => line.replaceAll("\\", "\\\\"));
  return `b"\\\n${lines.join("\\\n")}"`;
}
