import { source } from "#wasm-source";
import { entry, exported, file } from "../../.cache/wasm/about.js";
import * as glue from "../../.cache/wasm/turnfold.js";
import { fromWasmError, isWasmError, TurnfoldError } from "../errors.ts";
import { writeText } from "./utf8.ts";
import { requireWebAssembly, wasmStartError } from "./wasm-errors.ts";

export type {
  ConversationHandle,
  PlanningHandle,
  RendererHandle,
  RunHandle,
  SandboxHandle,
  TurnHandle,
} from "../../.cache/wasm/turnfold.js";

/** The exports of the wasm side. */
export type Wasm = typeof glue;

/** An instance of the wasm, with a memory of its own. After a crash the next one takes its place. */
export class Instance {
  /** Null until something needs the wasm, and after a crash until there is a new instance. */
  memory: WebAssembly.Memory | null = null;
  hasCrashed = false;
  /** The number of instances so far, with the one that takes the place of a crashed one. */
  generation = 0;
  /** What the glue knows of it while another instance is current. */
  state: unknown = null;

  /** Lets go of the memory. A later call makes a new instance. */
  release(): void {
    this.memory = null;
    this.state = null;
  }
}

/** The instance of everything that has no other. */
export const sharedInstance: Instance = new Instance();

/** The instance that the glue calls. Outside of {@link call} it is the shared one. */
let current = sharedInstance;

/**
 * Calls into the wasm, which starts when it is not running.
 *
 * A refusal of the wasm becomes a {@link TurnfoldError}. After anything else that it throws, its memory may be corrupt:
 * the instance is replaced, {@link generation} increases, and every handle is stale and must be made again.
 *
 * @throws {TurnfoldError} the refusals of the call, `out_of_memory`, `internal`, `not_initialized`, `wasm_blocked`,
 * `invalid_wasm`.
 */
export function call<T>(run: (wasm: Wasm) => T, instance: Instance = sharedInstance): T {
  if (instance !== current) return callOther(run, instance);
  if (current.memory === null) ensureRunning();
  try {
    return run(glue);
  } catch (thrown) {
    if (TurnfoldError.isInstance(thrown)) throw thrown;
    throw isWasmError(thrown) ? fromWasmError(thrown) : replaceCrashed(thrown);
  }
}

/** Calls into an instance that is not current. */
function callOther<T>(run: (wasm: Wasm) => T, instance: Instance): T {
  // Every instance is one of the module that the shared one was started with.
  if (instance !== sharedInstance && sharedInstance.generation === 0) call(() => {});
  const before = current;
  enter(instance);
  try {
    return call(run, instance);
  } finally {
    enter(before);
  }
}

function enter(instance: Instance): void {
  current.state = glue.currentInstance();
  if (instance.state !== null) glue.useInstance(instance.state);
  current = instance;
}

/** Returns the number of instances so far: a handle is valid while this is the same as when the handle was made. */
export function generation(instance: Instance = sharedInstance): number {
  return instance.generation;
}

/**
 * Writes text into the buffer that the next call reads, and returns its length in bytes. No other call may come between
 * the two: use it only in the argument list of that call, within {@link call}.
 */
export function send(text: string): number {
  return writeText(text, allocateBuffer);
}

/** The allocation may move the wasm's memory, so the view is made after it. */
function allocateBuffer(bytes: number): Uint8Array {
  const pointer = glue.scratch(bytes);
  return new Uint8Array((current.memory as WebAssembly.Memory).buffer, pointer, bytes);
}

/**
 * Starts the shared instance from a module, or from bytes, which are compiled synchronously. Does nothing when it is
 * running.
 *
 * @throws {TurnfoldError} `wasm_blocked`, `invalid_wasm`
 */
export function start(given: Uint8Array<ArrayBuffer> | WebAssembly.Module): void {
  if (sharedInstance.memory !== null) return;
  requireWebAssembly();
  try {
    const module = ArrayBuffer.isView(given) ? new WebAssembly.Module(given as Uint8Array<ArrayBuffer>) : given;
    checkExports(module);
    sharedInstance.memory = glue.initSync({ module }).memory;
    sharedInstance.generation++;
  } catch (error) {
    throw wasmStartError(error, WRONG_WASM_HINT);
  }
}

/** The hint for a wasm that can't be started. */
export const WRONG_WASM_HINT: string = `it must be the ${file} of this very version of the package`;

/** Checks the exports, because the glue would accept an instance of any module and keep it. */
function checkExports(module: WebAssembly.Module): void {
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = exported.find((name) => !names.has(name));
  if (missing !== undefined) throw new WebAssembly.LinkError(`it does not export ${missing}`);
}

/** True when the wasm is running. */
export function isRunning(instance: Instance = sharedInstance): boolean {
  return instance.memory !== null;
}

function ensureRunning(): void {
  if (current.hasCrashed || current !== sharedInstance) {
    replaceInstance();
    return;
  }
  const given = bundledSource();
  if (given === null) throw notInitializedError();
  start(given);
}

/**
 * Returns the wasm of this bundle; null in a slim entry.
 *
 * @throws {TurnfoldError} `wasm_blocked`
 */
export function bundledSource(): ReturnType<typeof source> {
  requireWebAssembly();
  try {
    return source();
  } catch (error) {
    throw wasmStartError(error, WRONG_WASM_HINT);
  }
}

/** Replaces the instance that crashed, and returns the error of the call. */
function replaceCrashed(cause: unknown): TurnfoldError {
  const panic = readCrashed(() => glue.takePanic());
  const growth = readCrashed(() => glue.refusedGrowth());
  const { byteLength } = (current.memory as WebAssembly.Memory).buffer;
  current.memory = null;
  current.hasCrashed = true;
  // From now on, not only once there is a new instance: in that one, a handle of this one is another object.
  current.generation++;
  try {
    replaceInstance();
  } catch {
    // The next call tries again, and throws the error if that fails.
  }
  if (panic === null && growth !== null) {
    const [has, needs] = [byteLength, growth].map((bytes) => Math.ceil(bytes / 2 ** 20).toLocaleString("en-US"));
    return new TurnfoldError("out_of_memory", `the WebAssembly memory has ${has} MB and can't grow by ${needs} MB`, {
      details: { bytes: byteLength, growth },
      hint: "lower limits.heapBytes, run fewer programs at a time, or give less data; existing objects are restored from their saved state",
      cause,
    });
  }
  const message = panic ?? (cause instanceof Error ? cause.message : String(cause));
  return new TurnfoldError("internal", `Turnfold failed inside: ${message}`, {
    details: { panic },
    hint: "this is a bug of Turnfold; existing objects are restored from their saved state",
    cause,
  });
}

/** Reads what a crashed instance recorded before it stopped; null when it can't be read. */
function readCrashed<T>(ask: () => T | undefined): T | null {
  try {
    return ask() ?? null;
  } catch {
    return null;
  }
}

/** Makes the current instance anew: after a crash, or when it is the first of an isolated object. */
function replaceInstance(): void {
  try {
    glue.__wbg_reset_state();
  } catch (error) {
    throw wasmStartError(error, WRONG_WASM_HINT);
  }
  // The argument is required but not used: `__wbg_reset_state` has made an instance, which initSync returns.
  current.memory = glue.initSync({ module: new Uint8Array() }).memory;
  if (!current.hasCrashed) current.generation++;
  current.hasCrashed = false;
}

/** Makes the error of a slim entry that has no wasm yet. */
export function notInitializedError(): TurnfoldError {
  return new TurnfoldError("not_initialized", `${entry}/slim has no wasm inside, and init(source) has not finished`, {
    hint: `await init(source) first, or import from "${entry}"`,
  });
}
