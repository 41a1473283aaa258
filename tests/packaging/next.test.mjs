// The packed package in an app of Next: on its server, in its edge runtime, and on a page.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { after, before, test } from "node:test";
import { openBrowser } from "../browser.mjs";
import { chatting, node, pack, program } from "./tarball.mjs";

const answer = `import { text as chat } from "../../chatting.mjs";
import { text } from "../../program.mjs";

export const dynamic = "force-dynamic";
export const GET = () => Response.json([text(), chat()]);
`;

const files = {
  "program.mjs": program,
  "chatting.mjs": chatting,
  "main.mjs":
    'import { text as chat } from "./chatting.mjs";\nimport { text } from "./program.mjs";\nconsole.log(JSON.stringify([text(), chat()]));\n',
  "app/layout.js": `export default function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <link rel="icon" href="data:," />
      </head>
      <body>{children}</body>
    </html>
  );
}
`,
  "app/page.js": `"use client";
import { useEffect, useState } from "react";
import { text } from "../program.mjs";

export default function Page() {
  const [shown, show] = useState("");
  useEffect(() => show(text()), []);
  return <output>{shown}</output>;
}
`,
  "app/server/route.js": answer,
  "app/edge/route.js": `export const runtime = "edge";\n${answer.replace(/^export const dynamic.*\n/m, "")}`,
};

let turnfold;
let app;
let expected;

before(() => {
  turnfold = pack();
  app = turnfold.app("next", files);
  // Next refuses packages behind a link that leads out of the app. Nothing here resizes images.
  const isNeeded = (path) => !/[\\/]node_modules[\\/](@img|sharp|\.bin)$/.test(path);
  cpSync(join(import.meta.dirname, "next", "node_modules"), join(app, "node_modules"), {
    recursive: true,
    filter: isNeeded,
  });
  expected = JSON.parse(node(app, "main.mjs"));
});

after(() => turnfold?.remove());

test("Next builds it for production, and runs it on its server, in its edge runtime and on a page", async () => {
  const next = [join(app, "node_modules", "next", "dist", "bin", "next")];
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  const built = spawnSync(process.execPath, [...next, "build"], { cwd: app, env, encoding: "utf8" });
  assert.equal(built.status, 0, built.stdout + built.stderr);

  const server = spawn(process.execPath, [...next, "start", "--port", "0"], { cwd: app, env });
  const browser = await openBrowser();
  try {
    const origin = await originOf(server);
    for (const path of ["server", "edge"]) {
      assert.deepEqual(await (await fetch(`${origin}/${path}`)).json(), expected, path);
    }
    const tab = await browser.newPage();
    const problems = [];
    tab.on("pageerror", (error) => problems.push(String(error.stack)));
    await tab.goto(origin);
    await tab.waitForFunction(() => document.querySelector("output").textContent !== "");
    assert.equal(await tab.locator("output").textContent(), expected[0]);
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
    server.kill();
  }
});

/** The address that the server prints when it listens. */
async function originOf(server) {
  let printed = "";
  for await (const line of createInterface({ input: server.stdout })) {
    printed += `${line}\n`;
    const [origin] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error(`the server of Next ended:\n${printed}`);
}
