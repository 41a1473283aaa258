// The history that the benchmarks render: about 1 kB of JSON for each turn, twenty names in memory.

/** @param {number} number place in the history, from 0 */
export function turnInit(number) {
  const rows = [0, 1, 2].map((row) => ({
    id: number * 10 + row,
    name: `Item ${number}-${row}`,
    price: row * 9.75 + 0.5,
  }));
  const slot = `batch-${number % 20}`;
  const program = `(def ${slot} (tool/search {:query "item ${number}" :limit 3}))\n(println "found" (count ${slot}))`;
  const memory = {};
  for (let name = 0; name < 20; name++) memory[`batch-${name}`] = name === number % 20 ? rows : name;
  return {
    number: number + 1,
    rawResponse: `Next I look at item ${number}.\n\n\`\`\`clojure\n${program}\n\`\`\``,
    program,
    result: 3,
    prints: [`found 3 of item ${number}`, "and nothing else worth a second look"],
    toolCalls: [{ name: "search", args: { query: `item ${number}`, limit: 3 }, result: rows }],
    memory,
    defined: [slot],
  };
}

export const options = {
  mission: "Look at every item",
  systemPrompt: "SYSTEM",
  maxTurns: 20_000,
  tools: { search: "(query :string, limit :int?) -> [{id :int, name :string, price :float}]" },
  data: {
    products: [
      { name: "Laptop", price: 1200 },
      { name: "Mouse", price: 25 },
    ],
  },
};
