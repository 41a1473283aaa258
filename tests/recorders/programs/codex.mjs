// Codex, with a provider in its settings.

import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { countOf } from "../compare.mjs";
import { files } from "../shop.mjs";

const patch = `*** Begin Patch
*** Update File: prices.json
@@
-{ "tea": 4, "coffee": 5 }
+{ "tea": 6, "coffee": 5 }
*** End Patch
`;

/** Settings as arguments. */
const settings = (given) => Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${toml(value)}`]);

const toml = (value) =>
  Array.isArray(value)
    ? `[${value.map(toml).join()}]`
    : typeof value === "object"
      ? `{${Object.entries(value).map(([name, inner]) => `${name}=${toml(inner)}`)}}`
      : JSON.stringify(value);

const provider = ({ origins }, more) => ({
  model_provider: "local",
  "model_providers.local": {
    name: "Local",
    base_url: `${origins.openai}/v1`,
    env_key: "LOCAL_KEY",
    wire_api: "responses",
    ...more,
  },
});

const env = { LOCAL_KEY: "nobody" };

/** Runs `codex exec` for each list of arguments, and keeps what it prints. */
const exec =
  (turns, { model = "gpt-5.5", more = {}, own = {} } = {}) =>
  async (session) => {
    for (const args of turns) {
      const { stdout } = await session.run(
        "codex",
        [
          ...["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", model],
          ...settings({ ...provider(session, own), ...more }),
          ...args,
        ],
        { env },
      );
      appendFileSync(join(session.home, "exec.jsonl"), stdout);
    }
  };

/** Talks with `codex app-server`, as editors do: `talk` has a function for requests. */
const appServer =
  (talk, { model = "gpt-5.5" } = {}) =>
  (session) =>
    session.run("codex", ["app-server", ...settings({ ...provider(session), model })], {
      env,
      talk: async (child) => {
        let id = 0;
        const [waiting, seen] = [[], []];
        createInterface({ input: child.stdout }).on("line", (line) => {
          seen.push(JSON.parse(line));
          for (const look of waiting) look();
        });
        /** Waits for a message. */
        const message = (isWanted) =>
          new Promise((found, failed) => {
            const timer = setTimeout(
              () => failed(new Error(`nothing of ${isWanted}: ${JSON.stringify(seen)}`)),
              30_000,
            );
            const look = () => {
              const index = seen.findIndex(isWanted);
              if (index < 0) return;
              clearTimeout(timer);
              waiting.splice(waiting.indexOf(look), 1);
              found(seen.splice(0, index + 1).at(-1));
            };
            waiting.push(look);
            look();
          });
        const say = (line) => child.stdin.write(`${JSON.stringify(line)}\n`);
        const ask = async (method, params) => {
          const own = ++id;
          say({ id: own, method, params });
          const { result, error } = await message((one) => one.id === own);
          if (error) throw new Error(`${method}: ${error.message}`);
          return result;
        };
        const event = (name) => message(({ method }) => method === name);
        const turn = async (threadId, text) => {
          await ask("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
          return (await event("turn/completed")).params;
        };
        await ask("initialize", {
          clientInfo: { name: "editor", title: null, version: "1" },
          capabilities: { experimentalApi: true },
        });
        say({ method: "initialized" });
        const { thread } = await ask("thread/start", { approvalPolicy: "never", sandbox: "danger-full-access" });
        await talk({ ask, event, turn, threadId: thread.id, say });
      },
    });

const NEW_COUNTS = ["fresh", "read", "written", "output"];

/** What `codex exec --json` prints has one usage for the requests of a turn. */
function compareExec(recordings, requests, { counts = NEW_COUNTS }) {
  const sum = (usages) => counts.map((name) => usages.reduce((total, usage) => total + countOf(usage, name), 0)).join();
  const recorded = recordings.flatMap(({ recording }) => recording.chats.flatMap((chat) => chat.requests));
  const [left, right] = [
    sum(requests.filter(({ aside }) => !aside).map(({ reply }) => reply.usage)),
    sum(recorded.flatMap(({ usage }) => usage ?? [])),
  ];
  return left === right ? [] : [`${left} was billed and ${right} is recorded`];
}

const rollouts = { files: /\.codex\/sessions\/.*rollout-.*\.jsonl$/ };
const printed = { files: /\/exec\.jsonl$/, compare: compareExec };

const isOld = (version) => /^0\.\d\d\./.test(version);

/** A call of the shell, by the tool that the model has. */
const shell = (cmd) => (body) => ({
  calls: [
    body.tools?.some(({ name }) => name === "exec_command")
      ? ["exec_command", { cmd }]
      : body.tools?.some(({ name }) => name === "shell_command")
        ? ["shell_command", { command: cmd }]
        : ["shell", { command: ["bash", "-lc", cmd] }],
  ],
});

export default {
  name: "Codex",
  npm: "@openai/codex",
  // Older versions do not record what was written to the cache.
  counts: (version) => (version === undefined ? NEW_COUNTS : ["input", "read", "output"]),
  recordings: [rollouts, printed],
  isAside: () => false,
  sessions: {
    "files are read and changed": {
      files,
      script: [
        (body) => ({ text: "I read the prices.", ...shell("cat prices.json")(body) }),
        (body) => ({ calls: [...shell("cat src/shop.js")(body).calls, ...shell("ls -la")(body).calls] }),
        (body) =>
          body.tools.some(({ type, name }) => type === "custom" && name === "apply_patch")
            ? { calls: [["apply_patch", patch]] }
            : shell(`apply_patch '${patch}'`)(body),
        shell("cat missing.json"),
        shell("cat prices.json; seq 1 20000"),
        { text: "Tea costs 6 now." },
        { text: "Coffee costs 5." },
      ],
      run: exec([["Tea costs 6. Change prices.json."], ["resume", "--last", "And coffee?"]]),
    },
    "it reads for long": {
      files: Object.fromEntries(
        Array.from({ length: 70 }, (_, file) => [
          `part${file}.js`,
          Array.from({ length: 200 }, (_, line) => `export const part${file}row${line} = ${file * line};\n`).join(""),
        ]),
      ),
      script: [
        ...Array.from({ length: 70 }, (_, file) => shell(`cat part${file}.js`)),
        { text: "I read all." },
        { text: "There are 70." },
      ],
      run: exec([["Read all parts."], ["resume", "--last", "How many are there?"]]),
    },
    "tools are called by code": {
      versions: (version) => version === "newest",
      files,
      script: [
        {
          text: "I look.",
          calls: [
            [
              "functions.exec",
              'const { output } = await tools.exec_command({ cmd: "cat prices.json" }); text(output);',
            ],
          ],
        },
        {
          calls: [
            [
              "functions.exec",
              '// @exec: {"yield_time_ms": 10}\nawait tools.exec_command({ cmd: "sleep 1" }); text("slept");',
            ],
          ],
        },
        (body) => ({
          calls: [
            ["functions.wait", { cell_id: /cell ID ([\w-]+)/.exec(JSON.stringify(body.input.at(-1)))?.[1] ?? "1" }],
          ],
        }),
        { text: "Tea costs 4." },
      ],
      run: exec([["What does tea cost?"]], { model: "gpt-6.2-sol" }),
    },
    "agents work for it": {
      versions: (version) => version === "newest",
      files,
      recordings: rollouts,
      script: () => {
        const isAgent = ({ input }) =>
          input.some(({ type, recipient }) => type === "agent_message" && recipient === "/root/reader");
        const either = (body) =>
          isAgent(body)
            ? { text: "The price is 4." }
            : { calls: [["collaboration.wait_agent", { timeout_ms: 10000 }]] };
        return [
          {
            calls: [
              ["collaboration.spawn_agent", { task_name: "reader", message: "Read prices.json.", fork_turns: "none" }],
            ],
          },
          either,
          either,
          { text: "Tea costs 4." },
        ];
      },
      run: exec([["Let an agent read the price."]], { model: "gpt-6.2-sol" }),
    },
    "agents inherit the history": {
      versions: (version) => version === "newest",
      files,
      recordings: rollouts,
      script: () => {
        const isAgent = ({ input }) =>
          input.some(({ type, recipient }) => type === "agent_message" && recipient === "/root/reader");
        const either = (body) =>
          isAgent(body)
            ? { text: "The price is 4." }
            : { calls: [["collaboration.wait_agent", { timeout_ms: 10000 }]] };
        return [
          {
            calls: [
              ["collaboration.spawn_agent", { task_name: "reader", message: "Read prices.json.", fork_turns: "all" }],
            ],
          },
          either,
          either,
          { text: "Tea costs 4." },
        ];
      },
      run: exec([["Let an agent read the price."]], { model: "gpt-6.2-sol" }),
    },
    "it is forked": {
      versions: (version) => version === "newest",
      files,
      recordings: rollouts,
      script: [shell("cat prices.json"), { text: "Tea costs 4." }, { text: "Coffee costs 5." }],
      run: async (session) => {
        await exec([["What does tea cost?"]])(session);
        const [path] = readdirSync(join(session.home, ".codex", "sessions"), { recursive: true }).filter((name) =>
          name.endsWith(".jsonl"),
        );
        await exec([["fork", /([0-9a-f-]{36})\.jsonl$/.exec(path)[1], "And coffee?"]])(session);
      },
    },
    "it compacts": {
      files,
      script: [
        shell("seq 1 4000"),
        { text: "Numbers were counted." },
        shell("cat prices.json"),
        { text: "Done." },
        { text: "Still done." },
      ],
      run: exec([["Count."], ["resume", "--last", "Are you done?"]], {
        more: { model_auto_compact_token_limit: 12000 },
      }),
    },
    "OpenAI compacts": {
      files,
      // What is printed leaves out the request for the compaction.
      recordings: rollouts,
      script: [
        shell("seq 1 4000"),
        { items: [{ type: "compaction", id: "cmp_1", encrypted_content: "secret" }] },
        { text: "Done." },
        { text: "Still done." },
      ],
      run: exec([["Count."], ["resume", "--last", "Are you done?"]], {
        more: { model_auto_compact_token_limit: 12000 },
        own: { name: "OpenAI" },
      }),
    },
    "servers fail": {
      files,
      script: [
        { status: 500, refuse: { error: { message: "The server had an error.", type: "server_error" } } },
        shell("cat prices.json"),
        { text: "Tea costs 4, and coffee costs 5, so far.", after: "cut" },
        { text: "Tea costs 4." },
      ],
      run: exec([["What does tea cost?"]], { own: { request_max_retries: 3, stream_max_retries: 3 } }),
    },
    "the history is too long": {
      fails: true,
      files,
      recordings: rollouts,
      script: [
        shell("cat prices.json"),
        {
          failed: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
        },
        { text: "Tea costs 4." },
      ],
      run: exec([["What does tea cost?"], ["resume", "--last", "Well?"]]),
    },
    "it is killed": {
      fails: true,
      files,
      recordings: rollouts,
      script: [shell("cat prices.json"), shell("kill -9 $PPID"), shell("cat prices.json"), { text: "Tea costs 4." }],
      run: exec([["What does tea cost?"], ["resume", "--last", "Well?"]]),
    },
    "it reviews": {
      files,
      recordings: rollouts,
      script: [
        shell("cat prices.json"),
        {
          text: '{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"Fine.","overall_confidence_score":1}',
        },
      ],
      run: async (session) => {
        for (const args of [
          ["init", "-q"],
          ["add", "."],
        ])
          await session.run("git", args);
        await exec([["review", "--uncommitted"]])(session);
      },
    },
    "an editor compacts, takes back and interrupts": {
      versions: (version) => !isOld(version),
      files,
      // The request that was interrupted has no usage.
      recordings: { ...rollouts, known: [/was never made$/] },
      script: [
        shell("cat prices.json"),
        { text: "Tea costs 4." },
        { text: "Coffee costs 5." },
        { text: "Coffee is cheap." },
        { text: "Coffee is good." },
        { text: "The user asked for prices." },
        { text: "Bye." },
        { text: "I think about it for long.", after: "hang" },
        { text: "Yes." },
      ],
      run: appServer(async ({ ask, event, turn, threadId }) => {
        const takeBack = ({ id }) =>
          ask("thread/revert", { threadId, beforeTurnId: id }).catch(() =>
            ask("thread/rollback", { threadId, numTurns: 1 }),
          );
        await turn(threadId, "What does tea cost?");
        const { turn: second } = await turn(threadId, "And coffee?");
        await takeBack(second);
        const { turn: third } = await turn(threadId, "Is coffee cheap?");
        await takeBack(third);
        await turn(threadId, "Is coffee good?");
        await ask("thread/compact/start", { threadId });
        await event("turn/completed");
        await turn(threadId, "Good bye.");
        const { turn: open } = await ask("turn/start", {
          threadId,
          input: [{ type: "text", text: "Think.", text_elements: [] }],
        });
        await event("item/agentMessage/delta");
        await ask("turn/interrupt", { threadId, turnId: open.id });
        await event("turn/completed");
        await turn(threadId, "Are you there?");
      }),
    },
  },
};
