// The chat that programs with a client of a model have here: two questions, the first of which needs two calls.

/** Long enough to be cached. */
export const system = Array.from(
  { length: 150 },
  (_, row) => `${row === 0 ? "You look up orders." : `Rule ${row}: be brief.`}`,
)
  .join("\n")
  .concat("\n", "x".repeat(4000));

export const questions = ["Where are the orders 7 and 8?", "Thanks. Is 8 late?"];

export const tool = {
  name: "lookup",
  description: "Looks up an order",
  parameters: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
};

export const lookup = ({ order }) => `Order ${order} is in Leipzig — “box ${order}”.`;

/** What the server replies. */
export const script = [
  {
    text: "I look them up.",
    calls: [
      ["lookup", { order: 7 }],
      ["lookup", { order: 8 }],
    ],
  },
  { text: "Both are in Leipzig." },
  { text: "No, it is not late." },
];

/**
 * Has the chat with a client.
 *
 * @param ask sends `{ role, content }` of the user or results `{ id, name, output }`, and returns `{ calls: [{ id, name, args }] }`.
 */
export async function chat(ask) {
  for (const question of questions) {
    let reply = await ask({ question });
    while (reply.calls.length > 0) {
      reply = await ask({
        results: reply.calls.map(({ id, name, args }) => ({ id, name, output: lookup(args) })),
      });
    }
  }
}
