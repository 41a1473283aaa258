// A PostgreSQL server of the tests, in a folder of its own, that can be reached by its Unix socket alone.

import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { output } from "../../scripts/process.mjs";
import { postgres } from "../../scripts/tools.mjs";

const require = createRequire(join(import.meta.dirname, "stores", "package.json"));

/** Why the tests are skipped: PostgreSQL is missing. In CI they are not skipped, and fail. */
export const skip = !postgres() && process.env.CI === undefined ? "PostgreSQL not found" : false;

/**
 * Starts a server.
 *
 * @returns the variables by which programs find it, a function that connects to it, and a function that ends it.
 */
export function startPostgres() {
  const programs = postgres();
  if (!programs) throw new Error("PostgreSQL can't be started: initdb and pg_ctl not found");
  const folder = mkdtempSync(join(tmpdir(), "turnfold-pg-"));
  // It refuses to run as root.
  const ids = (name) => Object.fromEntries(["uid", "gid"].map((id) => [id, Number(output("id", [`-${id[0]}`, name]))]));
  const user = process.getuid?.() === 0 ? ids("nobody") : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const run = (name, ...args) => {
    const options = { ...user, cwd: folder, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] };
    const { status, stderr, error } = spawnSync(join(programs, name), args, options);
    if (status !== 0) throw new Error(`${name} failed: ${error?.message ?? stderr}`);
  };
  run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync");
  const settings = `-k ${folder} -c listen_addresses= -c fsync=off -c max_connections=200`;
  run("pg_ctl", "-D", data, "-l", join(folder, "log"), "-o", settings, "-w", "start");
  return {
    env: { PGHOST: folder, PGUSER: "postgres", PGDATABASE: "postgres" },
    async connect() {
      const { Client } = require("pg");
      const client = new Client({ host: folder, user: "postgres", database: "postgres" });
      await client.connect();
      return client;
    },
    stop() {
      run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
