// The converters of messages, bundled: what the package exports them from is not what is tested here.

import { join } from "node:path";
import { build } from "esbuild";

const folder = join(import.meta.dirname, "..", "..", "js", "formats");
const { outputFiles } = await build({
  stdin: {
    contents: ["openai", "anthropic", "vercel", "detect"].map((name) => `export * from "./${name}.ts";`).join("\n"),
    resolveDir: folder,
  },
  bundle: true,
  format: "esm",
  target: "es2022",
  write: false,
});
const { fromOpenAI, toOpenAI, fromAnthropic, toAnthropic, fromVercel, toVercel, detectFormat } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`
);

export { detectFormat };

/** Both ways of each provider, by its name. */
export const formats = {
  openai: { from: fromOpenAI, to: toOpenAI },
  anthropic: { from: fromAnthropic, to: toAnthropic },
  vercel: { from: fromVercel, to: toVercel },
};
