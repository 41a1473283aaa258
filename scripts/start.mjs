// The playground on a local server: sets up what is missing, builds the package, serves www/ and opens a browser if there is one.

import { join } from "node:path";
import { build } from "./build.mjs";
import { main } from "./process.mjs";
import { setup } from "./setup.mjs";
import { root } from "./tools.mjs";

main(import.meta, async () => {
  setup({ tests: false });
  await build();
  const { createServer } = await import("vite");
  const server = await createServer({
    configFile: join(root, "www", "vite.config.ts"),
    server: { open: hasDesktop() },
  });
  await server.listen();
  console.log("\nThe playground is ready. Press Ctrl+C to stop it.");
  server.printUrls();
});

/** Whether a browser could show itself: a terminal over ssh, a container and CI have nowhere to show it. */
function hasDesktop() {
  if (process.env.CI) return false;
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
