// The hand-written alternative in JavaScript: writes the message of `single-user-coalesced` with one
// function over plain objects. It supports only what the benchmark's history needs.

const GROUPS = ["list", "map", "string", "integer", "float", "boolean", "nil"];

/** @returns {string} the USER message */
export function plainRender(turns, options) {
  const definedBy = new Map();
  const prints = [];
  const firstPrint = [];
  const calls = [];
  turns.forEach((turn, index) => {
    if (turn.success) for (const name of turn.defined) definedBy.set(name, index);
    for (const call of turn.toolCalls) calls.push(call);
    firstPrint.push(prints.length);
    if (turn.success) for (const print of turn.prints) prints.push(print);
  });
  const memory = turns.length > 0 ? turns[turns.length - 1].memory : {};
  const sections = [options.mission];
  const tools = Object.keys(options.tools).sort();
  sections.push([";; === tool/ ===", ...tools.map((name) => `tool/${name}${options.tools[name]}`)].join("\n"));
  const data = Object.keys(options.data).sort();
  sections.push(
    [";; === data/ ===", ...data.map((name) => noted(`data/${name}`, shown(options.data[name], true)))].join("\n"),
  );
  const names = Object.keys(memory).map((name) => ({ name, group: GROUPS.indexOf(label(memory[name]).split("[")[0]) }));
  names.sort((left, right) => left.group - right.group || (left.name < right.name ? -1 : 1));
  const definitions = names.map(({ name }) => {
    const by = definedBy.get(name);
    const printed = by !== undefined && turns[by].prints.length > 0 && firstPrint[by] >= prints.length - 15;
    return noted(name, `= ${shown(memory[name], !printed)}`);
  });
  if (definitions.length > 0) sections.push([";; === user/ (your prelude) ===", ...definitions].join("\n"));
  const newest = calls.slice(-20).map((call) => `;   ${call.name}(${clojure(call.args, 3, 60)})`);
  sections.push(
    newest.length > 0 ? [header(";; Tool calls made:", newest, calls), ...newest].join("\n") : ";; No tool calls made",
  );
  const output = prints.slice(-15).map((print) => (print.length > 2000 ? `${print.slice(0, 2000)}...` : print));
  if (output.length > 0) sections.push([header(";; Output:", output, prints), ...output].join("\n"));
  sections.push(`Turns left: ${options.maxTurns - turns.length}`);
  return sections.join("\n\n");
}

function header(text, shown, all) {
  return shown.length === all.length ? text : `${text} (the last ${shown.length} of ${all.length})`;
}

function noted(name, note) {
  return `${name.padEnd(29)} ; ${note}`;
}

function shown(value, sample) {
  return sample ? `${label(value)}, sample: ${clojure(value, 3, 80)}` : label(value);
}

function label(value) {
  if (value === null) return "nil";
  if (Array.isArray(value)) return `list[${value.length}]`;
  if (typeof value === "object") return `map[${Object.keys(value).length}]`;
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return typeof value;
}

function clojure(value, limit, printable) {
  if (value === null) return "nil";
  if (typeof value === "string") {
    return value.length > printable
      ? `${JSON.stringify(value.slice(0, printable)).slice(0, -1)}..."`
      : JSON.stringify(value);
  }
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    const items = value.slice(0, limit).map((item) => clojure(item, limit, printable));
    return value.length > limit
      ? `[${items.join(" ")} ...] (${value.length} items, showing first ${limit})`
      : `[${items.join(" ")}]`;
  }
  const keys = Object.keys(value).sort();
  const share = Math.max(10, Math.floor(printable / Math.max(1, Math.min(keys.length, limit))));
  const entries = keys.slice(0, limit).map((key) => `:${key} ${clojure(value[key], limit, share)}`);
  return keys.length > limit
    ? `{${entries.join(" ")} ...} (${keys.length} items, showing first ${limit})`
    : `{${entries.join(" ")}}`;
}
