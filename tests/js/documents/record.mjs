// Runs the programs of a document in any host, and records what they print and their documented values.

/** A value as text that is the same in every host. */
function textOf(value) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, withCollections) ?? typeof value);
  // The trace of a run shows how long it took.
  return text.replace(/\d+ ms +/g, "");
}

function withCollections(_, value) {
  if (typeof value === "bigint") return String(value);
  return value instanceof Map || value instanceof Set ? [...value] : value;
}

/** Loads the module of a document's programs; returns the texts of each program by its line. */
export async function record(load) {
  const found = {};
  let current;
  globalThis.at = (line) => {
    current = [];
    found[line] = current;
  };
  globalThis.shows = (value) => current.push(textOf(value));
  const { log, table } = console;
  console.log = (...values) => current.push(values.map(textOf).join(" "));
  console.table = console.log;
  try {
    await load();
  } finally {
    Object.assign(console, { log, table });
  }
  return found;
}
