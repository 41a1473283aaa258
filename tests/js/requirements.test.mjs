// docs/requirements.md lists every requirement once, and cites existing tests.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const read = (path) => readFileSync(join(root, path), "utf8");

/** The groups of requirements with their numbers of requirements. */
const groups = {
  PRE: 3,
  BRK: 9,
  MIG: 6,
  API: 7,
  ARC: 12,
  NS: 12,
  FMT: 18,
  TYP: 12,
  TRN: 11,
  SAM: 3,
  DEF: 9,
  TC: 7,
  MSG: 7,
  CMP: 3,
  ERR: 5,
  SS: 2,
  DBG: 10,
  CLN: 12,
  AMB: 12,
  CHG: 37,
  FR: 19,
  SC: 7,
  EDG: 5,
  HIS: 10,
};
const stories = [1, 2, 3, 4].flatMap((story) => [1, 2, 3].map((scenario) => `STO-${story}0${scenario}`));

const expected = Object.entries(groups)
  .flatMap(([group, count]) =>
    Array.from({ length: count }, (_, index) => `${group}-${String(index + 1).padStart(3, "0")}`),
  )
  .concat(stories);

const rows = [...read("docs/requirements.md").matchAll(/^\| ([A-Z]+-\d+) \| (.+?) \| (.+) \|$/gm)].map(
  ([, id, requirement, shown]) => ({ id, requirement, shown }),
);

/** The files that a row cites, each with the cited titles of its tests. */
function testsOf(shown) {
  const files = shown.matchAll(/`((?:tests|src)\/[^`]+)`((?: “[^”]+”)*)/g);
  return [...files].map(([, path, titles]) => ({
    path,
    titles: [...titles.matchAll(/“([^”]+)”/g)].map(([, title]) => title),
  }));
}

test("every requirement is listed once", () => {
  assert.deepEqual(rows.map(({ id }) => id).sort(), expected.sort());
  for (const { id, requirement } of rows) assert.match(requirement, /\.$/, id);
});

test("the names are exports of the entries under which they are listed", async () => {
  const listed = [...read("docs/requirements.md").matchAll(/^\| `(turnfold[\w/]*)` \| (.+) \|$/gm)];
  assert.equal(listed.length, 5);
  for (const [, entry, names] of listed) {
    const exported = await import(entry);
    for (const [, name] of names.matchAll(/`(\w+)`/g)) assert.ok(name in exported, `${name} of ${entry}`);
  }
});

test("every file and every test title that a requirement cites exists", () => {
  for (const { id, shown } of rows) {
    for (const { path, titles } of testsOf(shown)) {
      assert.ok(existsSync(join(root, path)), `${id} names ${path}, which is no file`);
      const source = read(path);
      for (const title of titles) {
        const isThere = source.includes(`"${title}"`) || source.includes(`fn ${title}(`);
        assert.ok(isThere, `${id} names “${title}” of ${path}, which is no test there`);
      }
    }
  }
});

test("requirements on messages cite a case file of conversations", () => {
  const notShown = new Set(["ARC-007", "NS-001", "NS-002", "NS-003", "NS-004", "NS-005", "NS-006", "NS-007", "NS-009"]);
  const families = ["ARC", "NS", "FMT", "DEF", "SAM", "TYP", "TC", "TRN", "MSG", "CMP", "ERR", "SS"];
  for (const { id, shown: text } of rows) {
    const [family] = id.split("-");
    if (!families.includes(family) && !/^API-00[1-5]$/.test(id)) continue;
    if (notShown.has(id)) continue;
    assert.ok(
      testsOf(text).some(({ path }) => path.startsWith("tests/conversations/")),
      `${id} names no conversation`,
    );
  }
});

test("a requirement without a test has a sentence that says why", () => {
  for (const { id, shown } of rows) {
    if (testsOf(shown).length === 0) assert.match(shown, /^[A-Z].*\.$/, id);
  }
});

test("sources and tests name no requirement by its ID", () => {
  const ids = new RegExp(`\\b(?:${Object.keys(groups).join("|")})-\\d{3}\\b`);
  for (const folder of ["src", "js", "www/src", "docs", "tests"]) {
    for (const path of readdirSync(join(root, folder), { recursive: true })) {
      const file = `${folder}/${path}`.replaceAll("\\", "/");
      if (!/\.(rs|ts|tsx|mjs|md)$/.test(file) || file.includes("requirements")) continue;
      const found = ids.exec(read(file));
      assert.equal(found, null, `${file} names ${found}; docs/requirements.md is the place for it`);
    }
  }
});
