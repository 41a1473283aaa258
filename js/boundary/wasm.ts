import { source } from "#wasm-source";
import { entry, exported, file } from "../../.cache/wasm/about.js";
import * as glue from "../../.cache/wasm/turnfold.js";
import { fromRefusal, isRefusal, TurnfoldError } from "../errors.ts";
import { writeText } from "./utf8.ts";
import { refused, requireWebAssembly } from "./wasm-errors.ts";

export type {
  ConversationHandle,
  PlanningHandle,
  RendererHandle,
  RunHandle,
  SandboxHandle,
  TurnHandle,
} from "../../.cache/wasm/turnfold.js";

/** What the wasm side exports. */
export type Wasm = typeof glue;

/** The running instance's memory; null until something needs the wasm. */
let memory: WebAssembly.Memory | null = null;
/** True after a crash whose clean-up could not make a fresh instance. */
let broken = false;
let instances = 0;

/**
 * Calls into the wasm, which starts when it is not running.
 *
 * What the wasm refuses becomes a {@link TurnfoldError}. After everything else that it throws, its memory can't be
 * trusted: the instance is replaced, {@link generation} goes up, every handle is stale and has to be made anew.
 *
 * @throws {TurnfoldError} what the call refuses, `out_of_memory`, `internal`, `not_initialized`, `wasm_blocked`, `invalid_wasm`.
 */
export function call<T>(run: (wasm: Wasm) => T): T {
  if (memory === null) ready();
  try {
    return run(glue);
  } catch (thrown) {
    if (TurnfoldError.isInstance(thrown)) throw thrown;
    throw isRefusal(thrown) ? fromRefusal(thrown) : crashed(thrown);
  }
}

/** Counts the instances so far: a handle is good as long as this is what it was when the handle was made. */
export function generation(): number {
  return instances;
}

/**
 * Writes text where the next call expects it, and gives its length in bytes. Nothing may run between the two: only use
 * it in the argument list of that call, within {@link call}.
 */
export function send(text: string): number {
  return writeText(text, room);
}

/** The wasm's memory may have moved when it made room, so the view is made afterwards. */
function room(bytes: number): Uint8Array {
  const pointer = glue.scratch(bytes);
  return new Uint8Array((memory as WebAssembly.Memory).buffer, pointer, bytes);
}

/**
 * Starts the wasm out of a module or of bytes, which are compiled here and now. Does nothing when it is running.
 *
 * @throws {TurnfoldError} `wasm_blocked`, `invalid_wasm`
 */
export function start(given: Uint8Array<ArrayBuffer> | WebAssembly.Module): void {
  if (memory !== null) return;
  requireWebAssembly();
  try {
    const module = ArrayBuffer.isView(given) ? new WebAssembly.Module(given as Uint8Array<ArrayBuffer>) : given;
    requireOurs(module);
    ({ memory } = glue.initSync({ module }));
    instances++;
  } catch (error) {
    throw refused(error, OURS);
  }
}

/** What to do about a wasm that can't be started. */
export const OURS: string = `it must be the ${file} of this very version of the package`;

/** The glue would take any module's instance for its own, and for good. */
function requireOurs(module: WebAssembly.Module): void {
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = exported.find((name) => !names.has(name));
  if (missing !== undefined) throw new WebAssembly.LinkError(`it does not export ${missing}`);
}

/** True as long as {@link start} is not needed. */
export function running(): boolean {
  return memory !== null;
}

function ready(): void {
  if (broken) {
    replace();
    return;
  }
  const given = ownSource();
  if (given === null) throw notInitialized();
  start(given);
}

/**
 * The wasm of this bundle; null in one that is given it.
 *
 * @throws {TurnfoldError} `wasm_blocked`
 */
export function ownSource(): ReturnType<typeof source> {
  requireWebAssembly();
  try {
    return source();
  } catch (error) {
    throw refused(error, OURS);
  }
}

function crashed(cause: unknown): TurnfoldError {
  const panic = remains(() => glue.takePanic());
  const growth = remains(() => glue.refusedGrowth());
  const { byteLength } = (memory as WebAssembly.Memory).buffer;
  memory = null;
  broken = true;
  try {
    replace();
  } catch {
    // The next call tries again, and says why when it can't.
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

/** What a crashed instance put aside before it stopped, which it still answers. */
function remains<T>(ask: () => T | undefined): T | null {
  try {
    return ask() ?? null;
  } catch {
    return null;
  }
}

/** Puts a fresh instance in the place of a crashed one. */
function replace(): void {
  try {
    glue.__wbg_reset_state();
  } catch (error) {
    throw refused(error, OURS);
  }
  // An argument is asked for but not looked at: there is an instance, and initSync gives that.
  ({ memory } = glue.initSync({ module: new Uint8Array() }));
  broken = false;
  instances++;
}

/** Why it can't start yet. */
export function notInitialized(): TurnfoldError {
  return new TurnfoldError("not_initialized", `${entry}/slim has no wasm inside, and init(source) has not finished`, {
    hint: `await init(source) first, or import from "${entry}"`,
  });
}
