// Colours and sizes of the page are design tokens.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../../scripts/tools.mjs";

const TOKENS = "style/tokens.css";

const source = join(root, "www/src");

/** The declarations of the style sheets, except those that define tokens. */
const declarations = readdirSync(source, { recursive: true })
  .filter((path) => path.endsWith(".css") && path !== TOKENS)
  .flatMap((path) => {
    const text = readFileSync(join(source, path), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
    return [...text.matchAll(/^\s+([\w-]+):([^;{}]+);/gm)].map(([, name, value]) => ({ path, name, value }));
  });

it("colours are defined in the file of tokens alone", () => {
  const literal = /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark)\(/i;
  assert.deepEqual(
    declarations.filter(({ value }) => literal.test(value)),
    [],
  );
});

it("spaces, corners and sizes of texts are tokens", () => {
  const names = /^(?:padding|margin|gap|row-gap|column-gap|border-radius|font-size)/;
  const others = declarations.filter(({ name, value }) => names.test(name) && /[2-9]px|\d{2}px/.test(value));
  // What is as wide as something else, such as the label of a section.
  const aligned = 8;
  assert.ok(others.length <= aligned, JSON.stringify(others, null, 1));
});
