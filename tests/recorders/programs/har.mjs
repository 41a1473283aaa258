// HTTP archives: what Playwright records of a page, and mitmproxy of the clients of providers.

import { join } from "node:path";
import { countsOf, node, originOf, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

const mitm = (api, mode, encoding, language) => [
  `mitmproxy: ${api}, ${mode}, ${encoding}, ${language}`,
  {
    files: scripts("mitm.mjs", "clients.cjs", "clients.py"),
    script,
    counts: countsOf(api),
    run: (context) => {
      const bin = (name) => join(context.folder, "venv", "bin", name);
      const client = language === "Python" ? [bin("python3"), "clients.py"] : ["node", "clients.cjs"];
      const args = [bin("mitmdump"), originOf(api, context.origins), encoding, ...client, api, "ORIGIN", mode];
      return node("mitm.mjs", () => args)(context);
    },
  },
];

const apis = ["anthropic", "chat", "responses", "gemini"];

export default {
  name: "HAR",
  npm: ["openai", "@anthropic-ai/sdk", "@google/genai", "playwright-core"],
  pip: ["mitmproxy>=11", "openai", "anthropic"],
  recordings: /\.har$/,
  sessions: {
    "Playwright, of a page": {
      files: scripts("playwright.mjs"),
      script,
      run: node("playwright.mjs", ({ anthropic }) => [anthropic, process.env.CHROMIUM ?? "/usr/bin/chromium"]),
    },
    ...Object.fromEntries(
      apis.flatMap((api) => [
        mitm(api, "stream", "gzip", "JS"),
        mitm(api, "whole", "br", "JS"),
        // Google's client for Python needs other versions of packages than mitmproxy.
        ...(api === "gemini" ? [] : [mitm(api, "stream", "gzip", "Python"), mitm(api, "whole", "none", "Python")]),
      ]),
    ),
  },
};
