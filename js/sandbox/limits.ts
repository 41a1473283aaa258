/** Limits of one program. Absent members have the defaults. Each limit has its own kind of error. */
export interface Limits {
  /** Units of fuel: calls, iterations, elements that functions visit. Default 20 million. Error `fuel_exceeded`. */
  fuel?: number | undefined;
  /**
   * Bytes that the program and the definitions before it occupy at one time. Default 64 MB, at most 2 GB, which is what
   * the memory of the WebAssembly instance can hold. Error `memory_exceeded`.
   */
  heapBytes?: number | undefined;
  /** Nested calls. Default 10,000. Error `depth_exceeded`. */
  depth?: number | undefined;
  /** Iterations of one loop. Default 10,000. Error `loop_limit_exceeded`. */
  loopIterations?: number | undefined;
  /** Elements of one collection. Default 1,000,000, at most 2^27. Error `collection_size_exceeded`. */
  collectionSize?: number | undefined;
  /** Calls of `println`. Default 1,000. Error `print_limit_exceeded`. */
  prints?: number | undefined;
  /** Characters kept of one `println`. Default 2,000. */
  printLength?: number | undefined;
  /** Calls of tools. Default 1,000. Error `tool_call_limit_exceeded`. */
  toolCalls?: number | undefined;
  /** Milliseconds of the program's own time, without its tools. Default 5,000. Error `timeout`. */
  timeoutMs?: number | undefined;
}

/** Half of the memory that an instance can have: what leaves a program may take as many bytes again. */
const MAX_HEAP_BYTES = 2 ** 31;

/** The elements that fit into that memory, at 16 bytes each. */
const MAX_COLLECTION_SIZE = 2 ** 27;

/** Returns the limits that an instance can keep, with a warning for each that is lowered to that. */
export function attainableLimits(limits: Limits | undefined): { limits: Limits | undefined; warnings: string[] } {
  const attainable = { ...limits };
  const warnings: string[] = [];
  for (const [name, max] of [
    ["heapBytes", MAX_HEAP_BYTES],
    ["collectionSize", MAX_COLLECTION_SIZE],
  ] as const) {
    const given: unknown = limits?.[name];
    if (typeof given !== "number" || !(given > max)) continue;
    attainable[name] = max;
    const [is, can] = [given, max].map((number) => number.toLocaleString("en-US"));
    warnings.push(`limits.${name} is ${can}, not ${is}: the memory of a WebAssembly instance can't hold more`);
  }
  return { limits: limits && attainable, warnings };
}

const DEFAULT_TIMEOUT = 5000;

const DEFAULT_COLLECTION_SIZE = 1_000_000;

/**
 * Maximum length, in UTF-16 units, of a text that the host gives to programs. A limit below the default applies only to
 * what programs build, not to what they are given.
 */
export function maxTextLength(limits: Limits | undefined): number {
  const size = limits?.collectionSize ?? 0;
  return 4 * (size > DEFAULT_COLLECTION_SIZE ? size : DEFAULT_COLLECTION_SIZE);
}

/** The time limit in milliseconds, which the wasm side has checked. */
export function timeoutMs(limits: Limits | undefined): number {
  return limits?.timeoutMs ?? DEFAULT_TIMEOUT;
}
