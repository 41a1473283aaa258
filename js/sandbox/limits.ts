/** What one program may use. Absent members have the defaults. Passing a limit is an error of its own kind. */
export interface Limits {
  /** Steps: calls, rounds of loops, elements that functions go over; 20 million. `fuel_exceeded` */
  fuel?: number;
  /** Bytes that the program's values take at a time; 64 MB. `memory_exceeded` */
  heapBytes?: number;
  /** Calls inside calls; 10,000. `depth_exceeded` */
  depth?: number;
  /** Rounds of one loop; 10,000. `loop_limit_exceeded` */
  loopIterations?: number;
  /** Elements of one collection; 1,000,000. `collection_size_exceeded` */
  collectionSize?: number;
  /** Calls of `println`; 1,000. `print_limit_exceeded` */
  prints?: number;
  /** Characters kept of what one `println` writes; 2,000. */
  printLength?: number;
  /** Calls of tools; 1,000. `tool_call_limit_exceeded` */
  toolCalls?: number;
  /** The program's own time, not its tools', in milliseconds; 5,000. `timeout` */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT = 5000;

/** The milliseconds that a program may take; the wasm has checked them. */
export function timeoutOf(limits: Limits | undefined): number {
  return limits?.timeoutMs ?? DEFAULT_TIMEOUT;
}
