// The programs in docs/adapters run with the real frameworks, print what the documents say, and have no type errors.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { adapterPaths, checkPrograms, typeErrors } from "../js/documents/programs.mjs";
import { linkForDocuments } from "./frameworks.mjs";

before(linkForDocuments);

for (const path of adapterPaths) test(`the programs of ${path} run and print what it says`, () => checkPrograms(path));

test("the programs in TypeScript have no type errors", () => assert.deepEqual(typeErrors(adapterPaths), []));
