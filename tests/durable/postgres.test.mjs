// The workers and the server of docs/durable.md, with PostgreSQL and pg-boss.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { commandsOf, textsOf, writePrograms } from "./documents.mjs";
import { freePort, startProgram, waitFor } from "./node.mjs";
import { skip, startPostgres } from "./postgres.mjs";
import { bankInFile } from "./yours.mjs";

describe("runs in PostgreSQL", { skip }, () => {
  let postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres?.stop());

  test("the workers and the server do and print what the document says", async () => {
    const folder = writePrograms("postgres", { "yours.mjs": bankInFile });
    const [table] = textsOf("Where runs are kept", "sql");
    const client = await postgres.connect();
    await client.query(table);
    const port = await freePort();
    const server = startProgram(folder, "server.mjs", { ...postgres.env, PORT: port });
    const worker = startProgram(folder, "worker.mjs", postgres.env);
    try {
      await server.isListening(port);
      const [session] = textsOf("PostgreSQL and a queue", "console");
      const [printed] = textsOf("PostgreSQL and a queue", "text");
      const lines = printed.split("\n");
      for (const [index, { command, printed }] of commandsOf(session).entries()) {
        const [, address, body] = /^curl (\S+) -d (?:'(.*)'|.*)$/.exec(command);
        const response = await fetch(`http://${address.replace("8080", port)}`, {
          method: "POST",
          body: body ?? command.split(" ").at(-1),
        });
        assert.equal(await response.text(), printed, command);
        await waitFor(() => worker.lines.length > index || lines[index] === undefined);
        assert.equal(worker.lines[index], lines[index]);
      }
    } finally {
      await Promise.all([server, worker].map((program) => program.kill()));
      await client.end();
    }
    const paid = readFileSync(join(folder, "bank.txt"), "utf8").trim().split("\n");
    assert.deepEqual(
      paid.map((line) => JSON.parse(line).order),
      [17, 23],
    );
  });
});
