import type * as chatGlue from "../../.cache/chat-wasm/turnfold.js";
import type * as predictGlue from "../../.cache/predict-wasm/turnfold.js";
import type * as turnsGlue from "../../.cache/turns-wasm/turnfold.js";
import type * as languageGlue from "../../.cache/wasm/turnfold.js";
import { fromWasmError, isWasmError, TurnfoldError } from "../errors.ts";
import { writeText } from "./utf8.ts";
import { requireWebAssembly, wasmStartError } from "./wasm-errors.ts";

export type {
  ConversationHandle,
  PlanningHandle,
} from "../../.cache/chat-wasm/turnfold.js";
export type { RendererHandle, TurnHandle } from "../../.cache/turns-wasm/turnfold.js";
export type { RunHandle, SandboxHandle } from "../../.cache/wasm/turnfold.js";

/** The parts of the crate, with the exports of the wasms that have them. */
export interface Parts {
  /** Prices and estimates of tokens; every wasm has it. */
  core: Pick<typeof chatGlue, keyof typeof chatGlue & keyof typeof turnsGlue & keyof typeof predictGlue>;
  /** Turns and renderers. */
  turns: typeof turnsGlue;
  /** Signatures. */
  signatures: Pick<typeof chatGlue, keyof typeof chatGlue & keyof typeof predictGlue>;
  /** Chats and recall. */
  chat: typeof chatGlue;
  /** Typed calls. */
  predict: typeof predictGlue;
  /** Programs and runs. */
  language: typeof languageGlue;
}

export type Part = keyof Parts;

/** What the glue of every wasm has. */
interface Glue {
  scratch(bytes: number): number;
  takePanic(): string | undefined;
  refusedGrowth(): number | undefined;
  initSync(source: { module: WebAssembly.Module | Uint8Array<ArrayBuffer> }): { memory: WebAssembly.Memory };
  __wbg_reset_state(): void;
  currentInstance(): unknown;
  useInstance(instance: unknown): void;
}

/** A module that is compiled, or the bytes of one. */
export type WasmSource = Uint8Array<ArrayBuffer> | WebAssembly.Module;

/** A wasm of the package, as the build describes it. */
export interface WasmFacts {
  /** The name of its file. */
  readonly file: string;
  /** The entry that brings it. */
  readonly entry: string;
  /** Names by which it is distinguished from other wasms, because the glue accepts any. */
  readonly exported: readonly string[];
  readonly parts: readonly string[];
}

/** A wasm with its glue and its instances. The glue has one instance, which {@link call} exchanges. */
export class Wasm {
  readonly facts: WasmFacts;
  readonly glue: Glue;
  /** Returns the wasm that an entry contains; null for one that `init(source)` receives. */
  source: (() => WasmSource) | null = null;
  /** The instance of everything that has no other. */
  readonly shared: Instance = new Instance(this);
  /** The instance that the glue calls. */
  entered: Instance = this.shared;

  constructor(facts: WasmFacts, glue: Glue) {
    this.facts = facts;
    this.glue = glue;
  }

  /** The hint for something else in its place. */
  get wrongSourceHint(): string {
    return `it must be the ${this.facts.file} of this very version of the package`;
  }
}

/** An instance of a wasm, with a memory of its own. After a crash the next one takes its place. */
export class Instance {
  readonly wasm: Wasm;
  /** Null until something needs the wasm, and after a crash until there is a new instance. */
  memory: WebAssembly.Memory | null = null;
  hasCrashed = false;
  /** Differs between all instances of all wasms, and before and after a crash; 0 before the start. */
  generation = 0;
  /** What the glue knows of it while another instance is entered. */
  state: unknown = null;

  constructor(wasm: Wasm) {
    this.wasm = wasm;
  }

  /** Lets go of the memory. A later call makes a new instance. */
  release(): void {
    this.memory = null;
    this.state = null;
  }
}

/**
 * The wasm that has each part. Of the wasms that entries bring, the one with the most parts has all of its parts, so
 * that objects of different entries are in one instance.
 */
const wasmByPart: { [part in Part]?: Wasm } = {};

/** The number of the last instance. */
let lastGeneration = 0;

/** The instance of the running call. */
let current: Instance | null = null;

/**
 * Lets calls use a wasm. Objects that have handles of a wasm with fewer parts are loaded into this one when they are
 * next used, as after a crash.
 */
export function provide(wasm: Wasm, source: (() => WasmSource) | null): void {
  wasm.source ??= source;
  for (const part of wasm.facts.parts as readonly Part[]) {
    const known = wasmByPart[part];
    if (known === undefined || known.facts.parts.length < wasm.facts.parts.length) wasmByPart[part] = wasm;
  }
}

/**
 * The shared instance of the wasm that has a part.
 *
 * @throws {TurnfoldError} `not_initialized`
 */
export function sharedInstance(part: Part): Instance {
  const wasm = wasmByPart[part];
  if (wasm === undefined) throw notInitializedError(ENTRIES[part]);
  return wasm.shared;
}

const ENTRIES: Readonly<Record<Part, string>> = {
  core: "turnfold",
  turns: "turnfold/turns",
  signatures: "turnfold/predict",
  chat: "turnfold/chat",
  predict: "turnfold/predict",
  language: "turnfold",
};

/**
 * Calls into a wasm that has the part, or into an instance of the wasm that has the language. It starts when it is not
 * running.
 *
 * A refusal of the wasm becomes a {@link TurnfoldError}. After anything else that it throws, its memory may be corrupt:
 * the instance is replaced, its {@link generation} changes, and every handle is stale and must be made again.
 *
 * @throws {TurnfoldError} the refusals of the call, `out_of_memory`, `internal`, `not_initialized`, `wasm_blocked`,
 * `invalid_wasm`.
 */
export function call<P extends Part, T>(part: P, run: (wasm: Parts[P]) => T): T;
export function call<T>(instance: Instance, run: (wasm: Parts["language"]) => T): T;
export function call<T>(where: Part | Instance, run: (wasm: never) => T): T {
  const instance = typeof where === "string" ? sharedInstance(where) : where;
  const act = () => callEntered(instance, run as (glue: Glue) => T);
  return instance === instance.wasm.entered ? act() : callOther(instance, act);
}

function callEntered<T>(instance: Instance, run: (glue: Glue) => T): T {
  const before = current;
  current = instance;
  try {
    if (instance.memory === null) ensureRunning(instance);
    return run(instance.wasm.glue);
  } catch (thrown) {
    if (TurnfoldError.isInstance(thrown)) throw thrown;
    throw isWasmError(thrown) ? fromWasmError(thrown) : replaceCrashed(instance, thrown);
  } finally {
    current = before;
  }
}

/** Enters an instance for a call. */
function callOther<T>(instance: Instance, run: () => T): T {
  const { wasm } = instance;
  // Every instance is one of the module that the shared one was started with.
  if (instance !== wasm.shared && wasm.shared.generation === 0) callEntered(wasm.shared, () => {});
  const before = wasm.entered;
  enter(instance);
  try {
    return run();
  } finally {
    enter(before);
  }
}

function enter(instance: Instance): void {
  const { wasm } = instance;
  wasm.entered.state = wasm.glue.currentInstance();
  if (instance.state !== null) wasm.glue.useInstance(instance.state);
  wasm.entered = instance;
}

/** The number of an instance: a handle is valid while this is the same as when the handle was made. */
export function generation(where: Part | Instance): number {
  return (typeof where === "string" ? wasmByPart[where]?.shared.generation : where.generation) ?? 0;
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
  const { wasm, memory } = current as Instance & { memory: WebAssembly.Memory };
  const pointer = wasm.glue.scratch(bytes);
  return new Uint8Array(memory.buffer, pointer, bytes);
}

/**
 * Starts the shared instance of a wasm from a module, or from bytes, which are compiled synchronously. Does nothing
 * when it is running.
 *
 * @throws {TurnfoldError} `wasm_blocked`, `invalid_wasm`
 */
export function start(wasm: Wasm, given: WasmSource): void {
  const { shared } = wasm;
  if (shared.memory !== null) return;
  requireWebAssembly();
  try {
    const module = ArrayBuffer.isView(given) ? new WebAssembly.Module(given as Uint8Array<ArrayBuffer>) : given;
    checkExports(wasm, module);
    shared.memory = wasm.glue.initSync({ module }).memory;
    shared.generation = ++lastGeneration;
  } catch (error) {
    throw wasmStartError(error, wasm.wrongSourceHint);
  }
}

/** Checks the exports, because the glue would accept an instance of any module and keep it. */
function checkExports({ facts }: Wasm, module: WebAssembly.Module): void {
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = facts.exported.find((name) => !names.has(name));
  if (missing !== undefined) throw new WebAssembly.LinkError(`it does not export ${missing}`);
}

/** True when the instance is running. */
export function isRunning(instance: Instance): boolean {
  return instance.memory !== null;
}

function ensureRunning(instance: Instance): void {
  const { wasm } = instance;
  if (instance.hasCrashed || instance !== wasm.shared) {
    replaceInstance(instance);
    return;
  }
  const given = providedSource(wasm);
  if (given === null) throw notInitializedError(wasm.facts.entry);
  start(wasm, given);
}

/**
 * Returns the wasm that an entry contains; null when no entry does.
 *
 * @throws {TurnfoldError} `wasm_blocked`
 */
export function providedSource(wasm: Wasm): WasmSource | null {
  requireWebAssembly();
  try {
    return wasm.source === null ? null : wasm.source();
  } catch (error) {
    throw wasmStartError(error, wasm.wrongSourceHint);
  }
}

/** Replaces the instance that crashed, and returns the error of the call. */
function replaceCrashed(instance: Instance, cause: unknown): TurnfoldError {
  const { glue } = instance.wasm;
  const panic = readCrashed(() => glue.takePanic());
  const growth = readCrashed(() => glue.refusedGrowth());
  const { byteLength } = (instance.memory as WebAssembly.Memory).buffer;
  instance.memory = null;
  instance.hasCrashed = true;
  // From now on, not only once there is a new instance: in that one, a handle of this one is another object.
  instance.generation = ++lastGeneration;
  try {
    replaceInstance(instance);
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

/** Makes an instance anew that is entered: after a crash, or when it is the first of an isolated object. */
function replaceInstance(instance: Instance): void {
  const { wasm } = instance;
  try {
    wasm.glue.__wbg_reset_state();
  } catch (error) {
    throw wasmStartError(error, wasm.wrongSourceHint);
  }
  // The argument is required but not used: `__wbg_reset_state` has made an instance, which initSync returns.
  instance.memory = wasm.glue.initSync({ module: new Uint8Array() }).memory;
  if (!instance.hasCrashed) instance.generation = ++lastGeneration;
  instance.hasCrashed = false;
}

/** Makes the error of a slim entry that has no wasm yet. */
export function notInitializedError(entry: string): TurnfoldError {
  return new TurnfoldError("not_initialized", `${entry}/slim has no wasm inside, and init(source) has not finished`, {
    hint: `await init(source) first, or import from "${entry}"`,
  });
}
