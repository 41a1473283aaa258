import { TurnfoldError } from "../errors.ts";
import { messageOf } from "./host.ts";
import { notInitializedError, provide, providedSource, start, type Wasm } from "./wasm.ts";
import { requireWebAssembly, wasmStartError } from "./wasm-errors.ts";

const starting = new WeakMap<Wasm, Promise<void>>();

/** Starts a wasm: that of `from`, or the one that an entry contains. The `init` of each entry has the documentation. */
export function initWasm(wasm: Wasm, from: unknown): Promise<void> {
  const known = starting.get(wasm);
  if (known !== undefined) return known;
  const started = load(wasm, from).catch((error: unknown) => {
    starting.delete(wasm);
    throw error;
  });
  starting.set(wasm, started);
  return started;
}

async function load(wasm: Wasm, from: unknown): Promise<void> {
  if (wasm.shared.memory !== null) return;
  const { file } = wasm.facts;
  const given = from === undefined ? providedSource(wasm) : await received(from, file);
  if (given === null || given === undefined) throw notInitializedError(wasm.facts.entry);
  start(wasm, await compile(await resolveSource(given, file), wasm.wrongSourceHint));
  provide(wasm, null);
}

/** Waits for a promise of a source. Its rejection is usually that of a `fetch`. */
async function received(from: unknown, file: string): Promise<unknown> {
  try {
    return await from;
  } catch (cause) {
    throw TurnfoldError.isInstance(cause)
      ? cause
      : unavailable(file, null, `could not be loaded: ${messageOf(cause)}`, cause);
  }
}

async function compile(wasm: Source, wrongSourceHint: string): Promise<WebAssembly.Module> {
  requireWebAssembly();
  try {
    if ("module" in wasm) return wasm.module;
    if ("bytes" in wasm) return await WebAssembly.compile(wasm.bytes);
    const { response } = wasm;
    const streams = response.headers.get("content-type")?.startsWith("application/wasm") ?? false;
    return await (streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    throw wasmStartError(error, wrongSourceHint);
  }
}

/** A source by its kind, because to a type checker a compiled module is an object without members, like any other. */
type Source = { module: WebAssembly.Module } | { bytes: BufferSource } | { response: Response };

async function resolveSource(given: unknown, file: string): Promise<Source> {
  if (typeof given === "string" || given instanceof URL)
    return resolveSource(await fetchSource(String(given), file), file);
  const tag = Object.prototype.toString.call(given);
  if (tag === "[object WebAssembly.Module]") return { module: given as WebAssembly.Module };
  if (tag === "[object ArrayBuffer]" || ArrayBuffer.isView(given)) return { bytes: given as ArrayBuffer };
  // Checked after the sources that need no fetch: Node takes 20 ms to load its `Response` on first use.
  if (typeof Response === "function" && given instanceof Response) {
    if (!given.ok) throw unavailable(file, given.url, `gave status ${given.status}`);
    return { response: given };
  }
  if (typeof given === "object" && given !== null && "default" in given)
    return resolveSource(await received(given.default, file), file);
  throw new TurnfoldError("invalid_argument", "init() got something that is not a source of wasm", {
    hint: "give a URL, a Response, bytes, a WebAssembly.Module, or a promise of one of these",
  });
}

async function fetchSource(url: string, file: string): Promise<BufferSource | Response> {
  try {
    return await (url.startsWith("file:") ? readFile(url) : fetch(url));
  } catch (cause) {
    throw unavailable(file, url, "could not be fetched", cause);
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

function unavailable(file: string, url: string | null, problem: string, cause?: unknown): TurnfoldError {
  return new TurnfoldError("wasm_unavailable", `the wasm${url === null ? "" : ` at ${url}`} ${problem}`, {
    details: url === null ? {} : { url },
    hint: `${file} is in the package, as turnfold/${file}`,
    ...(cause === undefined ? {} : { cause }),
  });
}
