// The playground writes the frame that runs JavaScript answers itself, so the page's policy is that frame's too: it names the
// frame's one script by its hash. A plugin of Vite's.

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
    const page = readFileSync(join(root, "www", "src", "answers.html"), "utf8");
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page);
    const hash = createHash("sha256").update(script).digest("base64");
    assert.ok(html.includes(SCRIPTS), "the page has a policy for scripts");
    return html.replace(SCRIPTS, `${SCRIPTS} 'sha256-${hash}'`);
  },
});
