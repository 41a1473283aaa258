// Serves the playground locally: installs what is missing, builds the package, serves www/ and opens a browser on a desktop.

import { join } from "node:path";
import { build } from "./build.mjs";
import { main } from "./process.mjs";
import { setup } from "./setup.mjs";
import { buildSite } from "./site.mjs";
import { root } from "./tools.mjs";

main(import.meta, async () => {
  setup({ tests: false });
  await build();
  await buildSite();
  const { createServer } = await import("vite");
  const server = await createServer({
    configFile: join(root, "www", "vite.config.ts"),
    server: { open: hasDesktop() },
  });
  await server.listen();
  console.log("\nThe playground is ready. Press Ctrl+C to stop it.");
  server.printUrls();
});

/** Whether a browser can open a window. False over ssh, in containers and in CI. */
function hasDesktop() {
  if (process.env.CI) return false;
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
