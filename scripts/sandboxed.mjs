// Vite plugin: an import with `?sandboxed` is the text of a script that defines `turnfoldSandbox` with the exports of the module and
// all that it imports. The frame of the tools' answers has no network, so that its workers can't load files.

import { build } from "vite";

const QUERY = "?sandboxed";

/**
 * @param {import("vite").InlineConfig} config that of the page, as far as it holds for all its scripts.
 * @returns {import("vite").Plugin}
 */
export const sandboxed = (config) => ({
  name: "sandboxed",
  async load(id) {
    if (!id.endsWith(QUERY)) return null;
    const result = await build({
      ...config,
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      build: {
        write: false,
        target: "es2022",
        rolldownOptions: {
          input: id.slice(0, -QUERY.length),
          output: { format: "iife", name: "turnfoldSandbox", codeSplitting: false },
          preserveEntrySignatures: "strict",
        },
      },
    });
    const { output } = /** @type {import("vite").Rolldown.RolldownOutput} */ (result);
    return `export default ${JSON.stringify(output[0].code)};`;
  },
});
