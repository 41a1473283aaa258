// What the programs of docs/durable.md import as the user's: a model, and banks.

const llm = `
export const llm = () =>
  "\`\`\`clojure\\n(return (pmap (fn [{:keys [order euros]}] (tool/refund {:order order :euros euros})) data/orders))\\n\`\`\`";
`;

/**
 * A bank in a file. The process ends when it has paid for the order `KILLED_AFTER`, and prints and waits when it has paid for `WAITS_IN`.
 */
export const bankInFile = `${llm}
import { appendFileSync, existsSync, readFileSync } from "node:fs";

const lines = () => (existsSync("bank.txt") ? readFileSync("bank.txt", "utf8").trim().split("\\n").map(JSON.parse) : []);

export const bank = {
  async refund(order, euros, key) {
    const text = "refunded " + order;
    appendFileSync("bank.txt", JSON.stringify({ key, order, euros, text }) + "\\n");
    if (process.env.KILLED_AFTER === String(order)) process.kill(process.pid, "SIGKILL");
    if (process.env.WAITS_IN === String(order)) {
      console.log("paid");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }
    return text;
  },
  find: (key) => lines().find((line) => line.key === key)?.text,
};
`;

/** A bank at an address. */
export const bankAt = (address) => `${llm}
const ask = async (path, body) => {
  const response = await fetch(${JSON.stringify(address)} + path, { method: "POST", body: JSON.stringify(body) });
  return response.status === 404 ? undefined : response.text();
};

export const bank = {
  refund: (order, euros, key) => ask("/refund", { order, euros, key }),
  find: (key) => ask("/find", { key }),
};
`;
