import { decodeBase64 } from "../boundary/base64.ts";
import { writeText } from "../boundary/utf8.ts";
import { requireWebAssembly, wasmStartError } from "../boundary/wasm-errors.ts";
import { TurnfoldError } from "../errors.ts";
import { source } from "./source/inline.ts";
import { requireText } from "./text.ts";
import type { ExactCounter } from "./tokens.ts";

/** The exports of src/counter.rs. It returns signed numbers. */
interface CounterExports {
  readonly memory: WebAssembly.Memory;
  room(bytes: number): number;
  load(encoding: number, length: number): number;
  count(length: number): number;
  split(length: number): number;
}

/** The numbers of encodings in src/counter.rs. */
const ENCODINGS = ["o200k", "cl100k"] as const;

/** A module with a vocabulary: pairs of tokens, as gzip in base64. */
interface Vocabulary {
  readonly base64: string;
}

/**
 * Loads the vocabulary and returns an exact counter.
 *
 * @throws {TurnfoldError} `vocabulary_unavailable`, `invalid_vocabulary`, `wasm_blocked`, `invalid_wasm`
 */
export async function loadCounter(
  name: (typeof ENCODINGS)[number],
  load: () => Promise<Vocabulary>,
): Promise<ExactCounter> {
  const [module, vocabulary] = await Promise.all([compile(), inflateVocabulary(name, load)]);
  let running: CounterExports | null = startCounter(name, module, vocabulary);
  function run<T>(text: string, work: (wasm: CounterExports, bytes: number) => T): T {
    try {
      running ??= startCounter(name, module, vocabulary);
      return work(running, send(running, text));
    } catch (cause) {
      // The memory of the instance may be corrupt after a trap, so the next text gets a new instance.
      running = null;
      throw counterError(name, text, cause);
    }
  }
  return Object.freeze<ExactCounter>({
    name,
    method: "exact",
    count(text) {
      requireText(text);
      return run(text, (wasm, bytes) => wasm.count(bytes) >>> 0);
    },
    tokenLengths(text) {
      requireText(text, "tokenLengths");
      return run(text, (wasm, bytes) => {
        const lengths = new DataView(allocateBuffer(wasm, 4 * (wasm.split(bytes) >>> 0)).slice().buffer);
        return Array.from({ length: lengths.byteLength / 4 }, (_, token) => lengths.getUint32(4 * token, true));
      });
    },
  });
}

async function compile(): Promise<WebAssembly.Module> {
  requireWebAssembly();
  try {
    const given = source();
    return ArrayBuffer.isView(given) ? await WebAssembly.compile(given as Uint8Array<ArrayBuffer>) : given;
  } catch (error) {
    throw wasmStartError(error, "the file of the package that was imported is not whole; install it again");
  }
}

async function inflateVocabulary(name: string, load: () => Promise<Vocabulary>): Promise<Uint8Array<ArrayBuffer>> {
  const { base64 } = await load().catch((cause: unknown) => {
    throw new TurnfoldError("vocabulary_unavailable", `the vocabulary of ${name} could not be loaded`, {
      details: { encoding: name },
      hint: `${name}.vocabulary.js must be served beside the module that imports it; calling again tries again`,
      cause,
    });
  });
  if (typeof DecompressionStream !== "function") {
    throw new TurnfoldError(
      "vocabulary_unavailable",
      "this host has no DecompressionStream to unpack a vocabulary with",
      {
        details: { encoding: name },
        hint: "use the counter `estimate`, which needs none",
      },
    );
  }
  try {
    const packed = new Blob([decodeBase64(base64)]).stream();
    return new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  } catch (cause) {
    throw invalidVocabulary(name, cause);
  }
}

function startCounter(
  name: (typeof ENCODINGS)[number],
  module: WebAssembly.Module,
  vocabulary: Uint8Array,
): CounterExports {
  let wasm: CounterExports;
  try {
    wasm = new WebAssembly.Instance(module).exports as unknown as CounterExports;
    allocateBuffer(wasm, vocabulary.length).set(vocabulary);
  } catch (error) {
    throw wasmStartError(error, "the host must have some 16 MB of memory for it");
  }
  if (wasm.load(ENCODINGS.indexOf(name), vocabulary.length) === 0) throw invalidVocabulary(name);
  return wasm;
}

/** Writes a text into the buffer that the next call reads, and returns its length in bytes. */
function send(wasm: CounterExports, text: string): number {
  return writeText(text, (bytes) => allocateBuffer(wasm, bytes));
}

/** The allocation may detach the memory's buffer, so the view is made after it. */
function allocateBuffer(wasm: CounterExports, bytes: number): Uint8Array {
  const pointer = wasm.room(bytes) >>> 0;
  return new Uint8Array(wasm.memory.buffer, pointer, bytes);
}

function invalidVocabulary(name: string, cause?: unknown): TurnfoldError {
  return new TurnfoldError("invalid_vocabulary", `the vocabulary of ${name} can't be read`, {
    details: { encoding: name },
    hint: "the file of the package that holds it is not whole; install it again",
    ...(cause === undefined ? {} : { cause }),
  });
}

function counterError(name: string, text: string, cause: unknown): TurnfoldError {
  if (TurnfoldError.isInstance(cause)) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TurnfoldError(
    "internal",
    `the counter ${name} failed on a text of ${text.length} characters: ${message}`,
    {
      details: { encoding: name, length: text.length },
      hint: "other texts can be counted; a text of hundreds of megabytes has to be counted in parts",
      cause,
    },
  );
}
