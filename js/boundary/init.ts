import { file } from "../../.cache/wasm/about.js";
import { TurnfoldError } from "../errors.ts";
import { messageOf } from "./host.ts";
import { bundledSource, isRunning, notInitializedError, start, WRONG_WASM_HINT } from "./wasm.ts";
import { requireWebAssembly, wasmStartError } from "./wasm-errors.ts";

let starting: Promise<void> | undefined;

/**
 * Starts the wasm ahead of its first use, compiling it without blocking. Never required in `turnfold` and
 * `turnfold/chat`; in `turnfold/slim` and `turnfold/chat/slim` it must be awaited before anything else. Calling it
 * again has no effect.
 *
 * @param from the source of the wasm, for a slim entry: turnfold.wasm or chat.wasm, as a `URL` or its text, a
 * `Response`, bytes, a `WebAssembly.Module`, a module namespace whose default export is one of these, or a promise of
 * any.
 * @example
 * ```ts
 * import { init } from "turnfold/slim";
 * await init(fetch("/assets/turnfold.wasm"));
 * ```
 * @throws {TurnfoldError} `wasm_blocked` when the page or host forbids wasm, `wasm_unavailable` when it can't be
 * fetched, `invalid_wasm` when it is not this package's, `out_of_memory`, `not_initialized` for a slim entry without a source,
 * `invalid_argument` when `from` is not a source. A call that failed may be repeated.
 */
export function init(from?: unknown): Promise<void> {
  starting ??= load(from).catch((error: unknown) => {
    starting = undefined;
    throw error;
  });
  return starting;
}

async function load(from: unknown): Promise<void> {
  if (isRunning()) return;
  const given = from === undefined ? bundledSource() : await received(from);
  if (given === null || given === undefined) throw notInitializedError();
  start(await compile(await resolveSource(given)));
}

/** Waits for a promise of a source. Its rejection is usually that of a `fetch`. */
async function received(from: unknown): Promise<unknown> {
  try {
    return await from;
  } catch (cause) {
    throw TurnfoldError.isInstance(cause)
      ? cause
      : unavailable(null, `could not be loaded: ${messageOf(cause)}`, cause);
  }
}

async function compile(wasm: WasmSource): Promise<WebAssembly.Module> {
  requireWebAssembly();
  try {
    if ("module" in wasm) return wasm.module;
    if ("bytes" in wasm) return await WebAssembly.compile(wasm.bytes);
    const { response } = wasm;
    const streams = response.headers.get("content-type")?.startsWith("application/wasm") ?? false;
    return await (streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    throw wasmStartError(error, WRONG_WASM_HINT);
  }
}

/** A source by its kind, because to a type checker a compiled module is an object without members, like any other. */
type WasmSource = { module: WebAssembly.Module } | { bytes: BufferSource } | { response: Response };

async function resolveSource(given: unknown): Promise<WasmSource> {
  if (typeof given === "string" || given instanceof URL) return resolveSource(await fetchSource(String(given)));
  const tag = Object.prototype.toString.call(given);
  if (tag === "[object WebAssembly.Module]") return { module: given as WebAssembly.Module };
  if (tag === "[object ArrayBuffer]" || ArrayBuffer.isView(given)) return { bytes: given as ArrayBuffer };
  // Checked after the sources that need no fetch: Node takes 20 ms to load its `Response` on first use.
  if (typeof Response === "function" && given instanceof Response) {
    if (!given.ok) throw unavailable(given.url, `gave status ${given.status}`);
    return { response: given };
  }
  if (typeof given === "object" && given !== null && "default" in given)
    return resolveSource(await received(given.default));
  throw new TurnfoldError("invalid_argument", "init() got something that is not a source of wasm", {
    hint: "give a URL, a Response, bytes, a WebAssembly.Module, or a promise of one of these",
  });
}

async function fetchSource(url: string): Promise<BufferSource | Response> {
  try {
    return await (url.startsWith("file:") ? readFile(url) : fetch(url));
  } catch (cause) {
    throw unavailable(url, "could not be fetched", cause);
  }
}

/** Reads a file. Node's `fetch` does not read files; those of other hosts do. */
async function readFile(url: string): Promise<BufferSource | Response> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> } };
  };
  const files = process?.getBuiltinModule?.("node:fs/promises");
  return files ? files.readFile(new URL(url)) : fetch(url);
}

function unavailable(url: string | null, problem: string, cause?: unknown): TurnfoldError {
  return new TurnfoldError("wasm_unavailable", `the wasm${url === null ? "" : ` at ${url}`} ${problem}`, {
    details: url === null ? {} : { url },
    hint: `${file} is in the package, as turnfold/${file}`,
    ...(cause === undefined ? {} : { cause }),
  });
}
