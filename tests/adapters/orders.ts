// A task of many rounds: an agent looks up one order in each round.

/** The number of orders. */
export const ROUNDS = 12;

/** The tool's result for an order. */
export const orderText = (order: number) => `order ${order}: ${"in Leipzig ".repeat(40)}`;

/** Returns the order to look up after a message, the first one after a question; null when the message has the last order. */
export function nextOrder(text: string): number | null {
  const order = Number(/order (\d+):/.exec(text)?.[1] ?? 0);
  return order < ROUNDS ? order + 1 : null;
}
