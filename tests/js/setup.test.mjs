import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { packagesAreOld } from "../../scripts/setup.mjs";
import { root } from "../../scripts/tools.mjs";

test("packagesAreOld is true when an installed package is missing or differs from the lock file", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnfold-setup-"));
  const write = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(content));
  };
  const install = () => {
    write("node_modules/plain/package.json", { version: "1.2.3" });
    write("node_modules/@scope/tool/package.json", { version: "4.0.0" });
    write("node_modules/.package-lock.json", {});
  };
  try {
    write("package-lock.json", {
      packages: {
        "": { dependencies: { plain: "1.2.3" }, devDependencies: { "@scope/tool": "^4.0.0" } },
        "node_modules/plain": { version: "1.2.3" },
        "node_modules/@scope/tool": { version: "4.0.0" },
        "node_modules/deeper": { version: "1.0.0" },
      },
    });
    assert.equal(packagesAreOld(folder), true, "nothing is installed");
    install();
    assert.equal(packagesAreOld(folder), false);
    rmSync(join(folder, "node_modules/@scope"), { recursive: true });
    assert.equal(packagesAreOld(folder), true, "a package is gone");
    install();
    write("node_modules/plain/package.json", { version: "1.2.2" });
    assert.equal(packagesAreOld(folder), true, "a package has another version");
    install();
    utimesSync(join(folder, "node_modules/.package-lock.json"), 0, 0);
    assert.equal(packagesAreOld(folder), true, "the lock file is younger");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the packages of this project are installed", () => {
  assert.equal(packagesAreOld(root), false);
});
