// The engines, with one interface. No part of an engine is loaded before `load`, so that a cold start can be measured.
//
//   load()            loads the engine
//   keep(orders)      loads the orders, for all later calls of `run`
//   run(source)       runs source text and returns the result
//   fresh(source, orders)   the same in a new sandbox, which is disposed of afterwards
//   plain(result)     the result as plain JavaScript, for comparison

import { loadJustBash, loadMonty } from "./peers/peers.mjs";

const LIMITS = { fuel: 1e9, heapBytes: 1e9, loopIterations: 1e7, timeoutMs: 60_000 };

function turnfold() {
  let Lisp;
  let lisp;
  const value = (sandbox, source) => {
    const result = sandbox.runSync(source);
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  };
  return {
    language: "clojure",
    async load() {
      ({ Lisp } = await import("turnfold"));
    },
    async keep(orders) {
      lisp?.dispose();
      lisp = new Lisp({ data: { orders }, limits: LIMITS });
    },
    run: (source) => value(lisp, source),
    fresh(source, orders) {
      const sandbox = new Lisp({ data: { orders }, limits: LIMITS });
      const result = value(sandbox, source);
      sandbox.dispose();
      return result;
    },
    plain: (result) => result,
  };
}

/** SCI has one environment in a process: a new sandbox is only the data loaded again. */
function nbb({ jit }) {
  let evaluate;
  let toPlain;
  const bring = (orders) => {
    globalThis.orders = orders;
    return evaluate("(intern 'data 'orders (js->clj js/globalThis.orders :keywordize-keys true))");
  };
  return {
    language: "clojure",
    async load() {
      if (!jit) globalThis.SCI_DISABLE_JIT = true;
      ({ loadString: evaluate } = await import("nbb"));
      await evaluate("(require '[clojure.string :as str]) (create-ns 'data)");
      toPlain = await evaluate("clj->js");
    },
    keep: bring,
    run: (source) => evaluate(source),
    async fresh(source, orders) {
      await bring(orders);
      return evaluate(source);
    },
    plain: (result) => toPlain(result),
  };
}

function quickJs() {
  let engine;
  let context;
  const value = (vm, source) => {
    const handle = vm.unwrapResult(vm.evalCode(source));
    const result = vm.dump(handle);
    handle.dispose();
    return result;
  };
  const bring = (vm, orders) => {
    const text = vm.newString(JSON.stringify(orders));
    vm.setProp(vm.global, "text", text);
    text.dispose();
    value(vm, "globalThis.orders = JSON.parse(text); null");
  };
  return {
    language: "javascript",
    async load() {
      const { getQuickJS } = await import("quickjs-emscripten");
      engine = await getQuickJS();
    },
    async keep(orders) {
      context?.dispose();
      context = engine.newContext();
      bring(context, orders);
    },
    run: (source) => value(context, source),
    fresh(source, orders) {
      const vm = engine.newContext();
      bring(vm, orders);
      const result = value(vm, source);
      vm.dispose();
      return result;
    },
    plain: (result) => result,
  };
}

/** Python. It takes plain objects as `dict`s, and gives `dict`s as `Map`s. */
function monty() {
  let Monty;
  let kept;
  const run = (source, orders) => new Monty(source, { inputs: ["orders"] }).run({ inputs: { orders }, limits: {} });
  return {
    language: "python",
    async load() {
      ({ Monty } = await loadMonty());
    },
    async keep(orders) {
      kept = orders;
    },
    // It keeps no data between programs.
    run: (source) => run(source, kept),
    fresh: run,
    plain: plainOfMaps,
  };
}

const plainOfMaps = (value) => {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, each]) => [key, plainOfMaps(each)]));
  return Array.isArray(value) ? value.map(plainOfMaps) : value;
};

/** Bash with the commands that a model has there, `jq` and `awk` among them. Its data is a file. */
function justBash() {
  let Bash;
  let bash;
  const shell = (orders) => new Bash({ files: { "/orders.json": JSON.stringify(orders) } });
  const value = async (sandbox, source) => {
    const { stdout, stderr, exitCode } = await sandbox.exec(source);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  return {
    language: "bash",
    async load() {
      ({ Bash } = await loadJustBash());
    },
    async keep(orders) {
      bash = shell(orders);
    },
    run: (source) => value(bash, source),
    fresh: (source, orders) => value(shell(orders), source),
    plain: (result) => result,
  };
}

export const engines = {
  Turnfold: turnfold,
  "nbb (JIT)": () => nbb({ jit: true }),
  "nbb (no JIT)": () => nbb({ jit: false }),
  QuickJS: quickJs,
  Monty: monty,
  "just-bash": justBash,
};
