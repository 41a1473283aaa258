// What an app that imports an entry downloads, from the packed tarball.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { pack } from "../packaging/tarball.mjs";

/** The apps by the names of their rows: the module of each. */
const apps = {
  turnfold: 'export * from "turnfold";',
  "turnfold/lisp": 'export * from "turnfold/lisp";',
  "turnfold/turns": 'export * from "turnfold/turns";',
  "turnfold/chat": 'export * from "turnfold/chat";',
  "turnfold/predict": 'export * from "turnfold/predict";',
  "turnfold/audit": 'export * from "turnfold/audit";',
  "turnfold/gateway": 'export * from "turnfold/gateway";',
  "turnfold/slim": 'export * from "turnfold/slim";',
  "turnfold/turns/slim": 'export * from "turnfold/turns/slim";',
  "turnfold/chat/slim": 'export * from "turnfold/chat/slim";',
  "turnfold/predict/slim": 'export * from "turnfold/predict/slim";',
  "an agent's chat by fetch":
    'export { Agent, lastNMessages } from "turnfold/chat"; export { fetchModel } from "turnfold/models/fetch";',
  "messages of OpenAI, managed":
    'export { manageHistory, clearToolResults } from "turnfold/chat"; export { openai } from "turnfold/formats/openai";',
  "an agent in turns": 'export { SubAgent } from "turnfold";',
};

/** The files of the package that are downloaded as they are. */
const files = {
  "turnfold/turnfold.wasm": "turnfold.wasm",
  "turnfold/turns.wasm": "turns.wasm",
  "turnfold/chat.wasm": "chat.wasm",
  "turnfold/predict.wasm": "predict.wasm",
  "turnfold/tokens/o200k": "tokens/o200k.js",
  "vocabulary of o200k": "tokens/o200k.vocabulary.js",
  "vocabulary of cl100k": "tokens/cl100k.vocabulary.js",
};

const sizesOf = (bytes) => ({
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
  brotli: brotliCompressSync(bytes).length,
});

/** The sizes of everything in bytes, by name, and those of the tarball. */
export async function downloads() {
  const turnfold = pack();
  try {
    const sizes = {};
    const app = turnfold.app("sizes", {});
    for (const [name, contents] of Object.entries(apps)) {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: app },
        bundle: true,
        format: "esm",
        minify: true,
        write: false,
      });
      sizes[name] = sizesOf(outputFiles[0].contents);
    }
    for (const [name, path] of Object.entries(files))
      sizes[name] = sizesOf(readFileSync(join(app, "node_modules/turnfold/dist", path)));
    return { sizes, packed: turnfold.size, unpacked: turnfold.unpackedSize };
  } finally {
    turnfold.remove();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { sizes, packed, unpacked } = await downloads();
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(8);
  for (const [name, { raw, gzip, brotli }] of Object.entries(sizes))
    console.log(`${name.padEnd(28)}${kilobytes(raw)}${kilobytes(gzip)}${kilobytes(brotli)}`);
  console.log(`${"packed, unpacked".padEnd(28)}${kilobytes(packed)}${kilobytes(unpacked)}`);
}
