// Injects one fault into the work of the package: the Nth call into the wasm, the Nth new instance of it, the Nth call of
// a function of the host, or the Nth look at the clock fails. Import this before the package.
//
// A program that the memory is too small for stops within a call into the wasm, and nothing of the instance is used
// after it. So the Nth call stands for all its allocations: it is stopped by an allocation that the instance can't make.
// In the wasm that asks before each allocation (`src/wasm/faults.rs`), the places are the allocations themselves.

import v8 from "node:v8";

// Half of what a process of a test uses at most: the memory that can't grow is a real one.
v8.setFlagsFromString("--wasm-max-mem-pages=4096");
/** Bytes that no memory of this process can grow by. */
const TOO_MANY = 0x7fff_0000;

/** The fault to inject; null when there is none. */
let fault = null;
/** The number of times that the kind of the fault was met. */
let met = 0;
/** The number of new instances that can't be made. */
let refused = 0;

/** The way to fail when the fault is due now, and otherwise null. */
function due(kind) {
  if (fault === null || fault.kind !== kind) return null;
  met++;
  return met >= fault.at && met < fault.at + (fault.times ?? 1) ? fault.way : null;
}

/** Calls `run` with a fault: at the `at`th place of its kind, from 1, and at `times` places. Returns the number of places. */
export async function withFault(given, run) {
  fault = given;
  met = 0;
  try {
    await run();
  } finally {
    fault = null;
    refused = 0;
  }
  return met;
}

function refuseNext() {
  if (refused === 0) return false;
  refused--;
  return true;
}

/** Exports that free memory, or read what a stopped instance recorded: none of them allocates. */
const NOT_ALLOCATING = /^takePanic$|^refusedGrowth$|free$/;

const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    // As engines do when they can't reserve a memory.
    if (due("instance") !== null || refuseNext())
      throw new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory");
    super(...args);
    const { exports } = this;
    // The instance that decodes the embedded wasm does not allocate.
    if (!("scratch" in exports)) return;
    // Allocations are counted instead of calls.
    if (WebAssembly.Module.imports(args[0]).some(({ name }) => name.includes("turnfoldAllocationFails"))) return;
    const counted = ([name, value]) => {
      if (typeof value !== "function" || NOT_ALLOCATING.test(name)) return [name, value];
      const call = (...given) => {
        const way = due("memory");
        if (way !== null) {
          refused = way.refused;
          exports.scratch(TOO_MANY);
        }
        return value(...given);
      };
      return [name, call];
    };
    Object.defineProperty(this, "exports", { value: Object.fromEntries(Object.entries(exports).map(counted)) });
  }
};

globalThis.turnfoldAllocationFails = () => {
  const way = due("memory");
  if (way === null) return false;
  refused = way.refused;
  return true;
};

const clocks = [
  [Date, Date.now],
  [performance, performance.now],
];
for (const [holder, own] of clocks) {
  holder[own.name] = () => {
    const way = due("clock");
    return way === null ? own.call(holder) : way(own.call(holder));
  };
}

/** Wraps a function of the host. */
export function host(run) {
  return (...args) => {
    const way = due("host");
    return way === null ? run(...args) : way();
  };
}

const offline = () => {
  throw new Error("offline");
};

/** The ways to fail, by the kind of the fault. */
export const WAYS = {
  memory: {
    "is out of memory": { refused: 0 },
    // The engine has no memory for the instance that takes its place either, at first or until the end.
    "is out of memory, as the host is once": { refused: 1 },
    "is out of memory, as the host is": { refused: Number.POSITIVE_INFINITY },
  },
  instance: { "can't be made": {} },
  host: {
    throws: offline,
    rejects: async () => offline(),
    "throws undefined": () => {
      throw undefined;
    },
    "returns undefined": () => undefined,
    "returns a number": () => -7,
    "returns an object that can't be read": () =>
      new Proxy({}, { get: offline, ownKeys: offline, getPrototypeOf: offline, has: offline }),
    // biome-ignore lint/suspicious/noThenProperty: it is a thenable.
    "returns a thenable that throws": () => ({ then: offline }),
  },
  clock: {
    throws: offline,
    "is not a number": () => Number.NaN,
    "goes back by an hour": (time) => time - 3_600_000,
    "jumps by a year": (time) => time + 31_536_000_000,
  },
};
