// Runs the real programs whose recordings are read, against a server that bills them, and compares their recordings with what the
// server was asked: `node tests/recorders/run.mjs [NAME…]`, all without a name. A program is installed from its registry into
// .cache/recorders, in its newest version or that of `NAME@VERSION`, and has a home folder of its own.
//
//   --proxy       between the program and the server is `turnfold proxy`, which shortens the histories
//   --keep DIR    copies the recordings to DIR, with the requests beside them
//   --only TEXT   only the sessions whose names contain it

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { digest } from "turnfold/gateway";
import { startProxy } from "../../js/cli/proxy-server.mjs";
import { openSession } from "../../js/cli/read-file.mjs";
import { differences } from "./compare.mjs";
import { meteredServer } from "./metered-server.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    proxy: { type: "boolean", default: false },
    keep: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, "..", "..", ".cache", "recorders");

/** Runs a program to its end, or until `talk` has ended, which has the process; its output. */
function execute(command, args, { timeout = 120_000, input = "", talk, onStart = () => {}, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, detached: true });
    onStart(child);
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (output[name] += data));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      process.kill(-child.pid, "SIGKILL");
    }, timeout);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ ...output, code, signal: isLate ? "timeout" : signal });
    });
    // A program may end before it has read its input.
    child.stdin.on("error", () => {});
    if (talk === undefined) child.stdin.end(input);
    else talk(child).then(() => child.stdin.end(), reject);
  });
}

/** A Python of a version such as `3.12`: of the path, or of pyenv. */
async function pythonOf(version) {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const own = (existsSync(versions) ? readdirSync(versions) : []).filter((name) => name.startsWith(`${version}.`));
  for (const command of [`python${version}`, ...own.map((name) => join(versions, name, "bin", "python3"))]) {
    const ended = await execute(command, ["-c", "import venv"]).catch(() => ({ code: 1 }));
    if (ended.code === 0) return command;
  }
  throw new Error(`Python ${version} is not on this machine`);
}

/** The path with the programs that are installed in a folder. */
const pathOf = (folder) =>
  [join(folder, "node_modules", ".bin"), join(folder, "venv", "bin"), process.env.PATH].join(delimiter);

/** Installs packages: those of npm, with a newer Node (`node: "22"`) where they need one, and of PyPI, with that Python. */
async function installed({ npm, node, pip, python = "3" }, name, version) {
  const folder = join(cache, version === undefined ? name : `${name}@${version}`);
  if (existsSync(join(folder, "installed"))) return folder;
  mkdirSync(folder, { recursive: true });
  console.log(`› Installing ${[npm, pip].flat().filter(Boolean).join(", ")}`);
  const steps = [];
  const versioned = (packages) => (version === undefined ? packages : `${packages}@${version}`);
  // npm chooses versions for the Node that it runs in, so that is the newer one.
  const nodes = node === undefined ? [] : [`node-${process.platform}-${process.arch}@${node}`];
  for (const packages of [nodes, [npm === undefined ? [] : versioned(npm)].flat()]) {
    if (packages.length > 0)
      steps.push(["npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", ...packages]]);
  }
  if (pip !== undefined) {
    const [pipOf, uv] = ["pip", "uv"].map((command) => join(folder, "venv", "bin", command));
    steps.push([await pythonOf(python), ["-m", "venv", join(folder, "venv")]]);
    steps.push([pipOf, ["install", "--quiet", "uv"]]);
    steps.push([uv, ["pip", "install", "--quiet", "--python", join(folder, "venv"), ...[pip].flat()]]);
  }
  for (const [command, args] of steps) {
    const env = { ...process.env, PATH: pathOf(folder) };
    const { code, stderr } = await execute(command, args, { cwd: folder, env, timeout: 900_000 });
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr.slice(-2000)}`);
  }
  writeFileSync(join(folder, "installed"), "");
  return folder;
}

/** Runs a session of a program, and returns the differences. */
async function play(program, name, session, folder, version) {
  const place = mkdtempSync(join(tmpdir(), "recorder-"));
  const [home, project] = ["home", "project"].map((part) => join(place, part));
  for (const path of [home, project]) mkdirSync(path);
  for (const [path, text] of Object.entries(session.files ?? {})) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const script = typeof session.script === "function" ? session.script({ home, project }) : session.script;
  let running;
  const onKill = () => process.kill(-running.pid, "SIGKILL");
  const server = await meteredServer(script, session.isAside ?? program.isAside, onKill);
  const to = { anthropic: server.origin, openai: server.origin };
  const seen = [];
  const records = join(place, "records");
  const proxy = values.proxy
    ? await startProxy({
        to,
        parameters: { compressionStrategy: digest(), when: "worthIt", ...session.proxied },
        record: records,
        onRequest: (request) => seen.push(request),
        onWarning: (text) => seen.push(text),
      })
    : undefined;
  const outputs = [];
  const env = {
    PATH: pathOf(folder),
    HOME: home,
    TERM: "dumb",
    LANG: "C.UTF-8",
    CI: "true",
  };
  try {
    await session.run({
      home,
      project,
      /** Where the program is installed. */
      folder,
      server,
      /** The addresses of the APIs, without a version: `anthropic`, `openai`, `gemini`. */
      origins: {
        anthropic: proxy === undefined ? server.origin : `${proxy.origin}/anthropic`,
        openai: proxy === undefined ? server.origin : `${proxy.origin}/openai`,
        gemini: server.origin,
      },
      run: async (command, args, options = {}) => {
        const ended = await execute(command, args, {
          cwd: project,
          ...options,
          env: { ...env, ...program.env?.({ home }), ...options.env },
          onStart: (child) => {
            running = child;
          },
        });
        outputs.push(ended);
        return ended;
      },
    });
    // Several recordings of the same requests are compared each for itself.
    const expected = [session.recordings ?? program.recordings].flat().map((one) => (one.files ? one : { files: one }));
    const written = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const filesOf = (pattern) => written.filter((path) => pattern.test(path.slice(place.length + 1)));
    const files = expected.flatMap((one) => filesOf(one.files));
    if (values.keep !== undefined) {
      const kept = join(values.keep, program.name, name.replaceAll(/[^\w]+/g, "-"));
      rmSync(kept, { recursive: true, force: true });
      mkdirSync(kept, { recursive: true });
      for (const path of files) cpSync(path, join(kept, basename(path)));
      writeFileSync(join(kept, "requests.json"), JSON.stringify({ ...server, seen, outputs }, null, 1));
    }
    const passed = proxy === undefined ? server.requests : passedBy(records, server.requests);
    const refused = server.refused.map(({ message }) => `the server refused a request: ${message}`);
    if (refused.length === session.refused) refused.length = 0;
    const failed = outputs
      .filter(({ code, signal }) => code !== 0 && signal !== "SIGKILL" && session.fails !== true)
      .map(
        ({ code, signal, stdout, stderr }) =>
          `the program ended with ${code ?? signal}: ${(stdout + stderr).slice(-1500)}`,
      );
    failed.unshift(...refused);
    if (proxy !== undefined) {
      failed.push(...brokenPrefixes(passed, seen), ...seen.filter((one) => typeof one === "string"));
      const folds = seen.filter((one) => one.report?.isFolded).length;
      if (folds > 0 || session.proxied) console.log(`  ${folds} folds in ${passed.length} requests`);
    }
    if (server.waiting.length > 0) failed.push(`${server.waiting.length} replies of the script were not asked for`);
    for (const { files: pattern, ...own } of expected) {
      const recordings = [];
      const paths = filesOf(pattern);
      if (paths.length === 0) failed.push(`no recording was written (${pattern})`);
      for (const path of paths) {
        if (readFileSync(path, "utf8") === "") continue;
        try {
          const open = await openSession(path);
          recordings.push({ file: basename(path), recording: open() });
        } catch (error) {
          failed.push(`${basename(path)}: ${error.message}`);
        }
      }
      if (recordings.length === 0) continue;
      const compare = own.compare ?? differences;
      const counts = typeof program.counts === "function" ? program.counts(version) : program.counts;
      const found = compare(recordings, passed, { ...program, counts, ...session, ...own });
      failed.push(...found.map((problem) => (expected.length > 1 ? `${basename(paths[0])}: ${problem}` : problem)));
    }
    return failed;
  } finally {
    await proxy?.close();
    await server.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** The requests as the program made them, with what the proxy sent in their places. */
function passedBy(folder, requests) {
  const byId = new Map();
  for (const file of readdirSync(folder)) {
    let before = {};
    for (const line of readFileSync(join(folder, file), "utf8").trim().split("\n")) {
      const record = JSON.parse(line);
      // A line has what is new to the body of the line before.
      const body = { ...before, ...record.body };
      const name = body.messages === undefined ? "input" : "messages";
      if (record.continues > 0) body[name] = [...before[name].slice(0, record.continues), ...(record.body[name] ?? [])];
      before = body;
      byId.set(record.reply?.id, { ...record, body });
    }
  }
  return requests.map((request) => {
    const record = byId.get(request.reply.id);
    return record === undefined ? request : { ...request, body: record.body, sent: request.body, record };
  });
}

/** Requests whose beginning is another one than that of the request before them, though nothing was folded. */
function brokenPrefixes(requests, seen) {
  const problems = [];
  for (const [index, { body, sent, record, aside }] of requests.entries()) {
    if (record === undefined) {
      problems.push(`request ${index + 1} has no record of the proxy`);
      continue;
    }
    const earlier = requests.slice(0, index).filter((one) => one.record?.session === record.session);
    const before = earlier.filter((one) =>
      isBeginning(one.body.messages ?? one.body.input, body.messages ?? body.input),
    );
    const last = before.at(-1);
    const isFolded = seen.some(({ at, report }) => at === Date.parse(record.at) && report.isFolded);
    if (aside || last === undefined || isFolded) continue;
    if (!isBeginning(last.sent.messages ?? last.sent.input, sent.messages ?? sent.input))
      problems.push(`request ${index + 1} does not begin as the one before it, and nothing was folded`);
  }
  return problems;
}

const isBeginning = (left, right) =>
  Array.isArray(left) && left.length <= right.length && left.every((item, at) => plain(item) === plain(right[at]));

/** A message without marks for the cache, which move, with a text as a block. */
function plain({ content, ...message }) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return JSON.stringify({ ...message, content: blocks }, (name, value) =>
    name === "cache_control" ? undefined : value,
  );
}

const all = readdirSync(join(here, "programs")).map((file) => file.replace(/\.mjs$/, ""));
let count = 0;
for (const one of positionals.length > 0 ? positionals : all) {
  const [name, version] = one.split("@");
  const { default: program } = await import(`./programs/${name}.mjs`);
  const folder = await installed(program, name, version);
  for (const [title, session] of Object.entries(program.sessions)) {
    if (!title.includes(values.only) || session.versions?.(version ?? "newest") === false) continue;
    const problems = await play(program, title, session, folder, version);
    count += problems.length;
    console.log(`${program.name}: ${title}: ${problems.length === 0 ? "as the server saw it" : ""}`);
    for (const problem of problems) console.log(`  ${problem}`);
  }
}
process.exitCode = count === 0 ? 0 : 1;
