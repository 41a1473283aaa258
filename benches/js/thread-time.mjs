// The time for which the main thread has run, in milliseconds: other processes, and other threads that compile and collect
// garbage, do not count. Linux reports it in nanoseconds; on other systems the time of the whole process is used.

import { closeSync, openSync, readSync } from "node:fs";

const buffer = Buffer.alloc(80);
const file = open();

export function threadTime() {
  // This also updates the statistics, which are otherwise some milliseconds old.
  const { user, system } = process.cpuUsage();
  if (file === null) return (user + system) / 1000;
  const length = readSync(file, buffer, 0, buffer.length, 0);
  return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1e6;
}

/** The statistics of the scheduler; null on systems without them. */
function open() {
  try {
    const found = openSync("/proc/self/schedstat", "r");
    if (readSync(found, buffer, 0, buffer.length, 0) > 0) return found;
    closeSync(found);
  } catch {
    // Another system.
  }
  return null;
}
