// Vite plugin: puts everything that the first paint needs into index.html. The style sheet is inlined, because a separate request
// takes another round trip on a slow network; inline scripts are allowed in the page's content security policy; and one of them
// fetches the wasm while the others are loaded. It is no preload, because WebKit loads a preloaded wasm again when it is fetched.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

const SCRIPTS = "script-src 'self'";

/** @returns {import("vite").Plugin} */
export const firstPaint = () => ({
  name: "first-paint",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const styled = html.replace(/ *<link rel="stylesheet"[^>]* href="\.\/([^"]+)">/g, (_, path) => {
        const { source } = bundle[path];
        // The file stays, because chunks that are loaded later list it as a dependency.
        bundle[path].source = "/* The style sheet is in index.html. */\n";
        return `<style>${String(source).trim()}</style>`;
      });
      const wasm = Object.keys(bundle).find((path) => /\/turnfold-[^/]*\.wasm$/.test(path));
      // src/main.tsx handles a failure.
      const load = `<script>(globalThis.fetchedWasm = fetch("./${wasm}")).catch(() => {});</script>`;
      const loading = wasm === undefined ? styled : styled.replace('<script type="module"', `${load}\n    $&`);
      const hashes = [...loading.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
        ([, script]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
      );
      assert.ok(loading.includes(SCRIPTS), "the page has a policy for scripts");
      return loading.replace(SCRIPTS, [SCRIPTS, ...hashes].join(" "));
    },
  },
});
