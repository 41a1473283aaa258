// Runs one attack in this process: how long it takes until it is stopped, and by how much the memory of the engine grows.
// The time is the processor time of this process, and the engines' limits use it too, so that other processes do not matter.

import { threadTime } from "../thread-time.mjs";

/** The memories of the instances of this process. */
const memories = [];
const { Instance, Memory, instantiate } = WebAssembly;
WebAssembly.Memory = class extends Memory {
  constructor(...args) {
    super(...args);
    memories.push(this);
  }
};
const noted = (instance) => {
  memories.push(...Object.values(instance.exports).filter((each) => each instanceof Memory));
  return instance;
};
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    noted(this);
  }
};
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate(...args);
  noted(made.instance ?? made);
  return made;
};
const size = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);

const { newQuickJSWASMModule, shouldInterruptAfterDeadline } = await import("quickjs-emscripten");
const { Lisp } = await import("turnfold");
const { DEADLINE, large, MEMORY, slow } = await import("./attacks.mjs");

const engines = {
  async Turnfold(program, timeoutMs) {
    const unlimited = Number.POSITIVE_INFINITY;
    const lisp = new Lisp({
      tools: { wait: async () => 1 },
      limits: { timeoutMs, heapBytes: MEMORY, fuel: unlimited, loopIterations: unlimited },
    });
    await lisp.run("(reduce + (map inc [1 2 3]))");
    return async () => {
      const { error } = await lisp.run(program);
      return error?.kind ?? "ended";
    };
  },
  async QuickJS(program, timeoutMs) {
    const quickjs = await newQuickJSWASMModule();
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(MEMORY);
    const context = runtime.newContext();
    context.unwrapResult(context.evalCode("[1, 2, 3].map((n) => n + 1)")).dispose();
    return async () => {
      runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + timeoutMs));
      const result = context.evalCode(program);
      return result.error === undefined ? "ended" : String(context.dump(result.error)?.message ?? "out of memory");
    };
  },
};

const [, , engine, kind, name] = process.argv;
const attacks = { slow, large }[kind];
const engineIndex = Object.keys(engines).indexOf(engine);
const run = await engines[engine](attacks[name][engineIndex], kind === "slow" ? DEADLINE : 20_000);
const before = size();
performance.now = threadTime;
Date.now = threadTime;
const begun = threadTime();
const outcome = await run();
const milliseconds = threadTime() - begun;
console.log(JSON.stringify({ outcome, milliseconds, bytes: size() - before }));
process.exit(0);
