// Serves the playground locally: installs what is missing, builds what the page needs, serves www/ and opens a browser on a
// desktop. The rest of the package and the documents are built while the page is open.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildForPage } from "./build.mjs";
import { main } from "./process.mjs";
import { setup } from "./setup.mjs";
import { root } from "./tools.mjs";

main(import.meta, async () => {
  setup({ tests: false });
  await buildForPage();
  // The server watches the folder of the documents if it exists.
  mkdirSync(join(root, ".cache", "site"), { recursive: true });
  const { createServer } = await import("vite");
  const server = await createServer({
    configFile: join(root, "www", "vite.config.ts"),
    server: { open: hasDesktop() },
  });
  await server.listen();
  console.log("\nThe playground is ready. Press Ctrl+C to stop it.");
  server.printUrls();
  const documents = spawn(process.execPath, [join(root, "scripts", "site.mjs")], { stdio: "inherit" });
  documents.on("exit", (status) => {
    console.log(status === 0 ? "\nThe documents are ready." : "\nThe documents could not be built; see above.");
  });
  server.httpServer.once("close", () => documents.kill());
});

/** Whether a browser can open a window. False over ssh, in containers and in CI. */
function hasDesktop() {
  if (process.env.CI) return false;
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
