// Vite plugin: adds the hash of the script in `answers.html` to the page's content security policy. The page creates that frame
// from its source text, so the frame inherits the policy of the page.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tools.mjs";

const SCRIPTS = "script-src 'self'";

/** @returns {import("vite").Plugin} */
export const answersPolicy = () => ({
  name: "answers-policy",
  transformIndexHtml(html) {
    const page = readFileSync(join(root, "www", "src", "running", "answers.html"), "utf8");
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page);
    const hash = createHash("sha256").update(script).digest("base64");
    assert.ok(html.includes(SCRIPTS), "the page has a policy for scripts");
    return html.replace(SCRIPTS, `${SCRIPTS} 'sha256-${hash}'`);
  },
});
