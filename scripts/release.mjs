// Prepares a release: `npm run release` checks the version, runs every test, packs the tarball and makes the tag, whose push
// publishes the package (.github/workflows/ci.yml). `npm run release -- --check` only checks the version.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { main, output, Problem, run } from "./process.mjs";
import { root } from "./tools.mjs";

main(import.meta, async (args) => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const tag = `v${version}`;
  checkVersion(version);
  if (args.includes("--check")) return;
  if (git("status", "--porcelain") !== "") throw new Problem("There are changes that are not committed.");
  if (git("tag", "--list", tag) !== "") throw new Problem(`There is a tag ${tag} already: raise the version.`);
  run(process.execPath, [join(root, "scripts", "test.mjs")], { cwd: root });
  const folder = join(root, ".cache", "release");
  mkdirSync(folder, { recursive: true });
  run("npm", ["pack", "--pack-destination", folder], { cwd: root });
  run("git", ["tag", "--annotate", tag, "--message", `Turnfold ${version}`], { cwd: root });
  console.log(`\n${tag} is tagged, and its tarball is in ${folder}. \`git push origin ${tag}\` publishes it.`);
});

/** Requires the version of package.json in Cargo.toml, the lock files and the change log. */
function checkVersion(version) {
  const places = {
    "Cargo.toml": `\nversion = "${version}"\n`,
    "Cargo.lock": `\nname = "turnfold"\nversion = "${version}"\n`,
    "package-lock.json": `\n  "version": "${version}",\n`,
    "CHANGELOG.md": `\n## ${version}\n`,
  };
  for (const [path, text] of Object.entries(places))
    if (!readFileSync(join(root, path), "utf8").includes(text))
      throw new Problem(`package.json has version ${version}, and ${path} has not: \`${text.trim()}\` is missing.`);
}

function git(...args) {
  const text = output("git", ["-C", root, ...args]);
  if (text === null) throw new Problem(`This command failed: git ${args.join(" ")}`);
  return text;
}
