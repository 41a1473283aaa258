// A task of many rounds: an agent looks up one order after the other.

/** How many orders there are. */
export const ROUNDS = 12;

/** What the tool gives for an order. */
export const orderText = (order: number) => `order ${order}: ${"in Leipzig ".repeat(40)}`;

/** The order to look up after a message, the first one after a question; null when it has the last one. */
export function nextOrder(text: string): number | null {
  const order = Number(/order (\d+):/.exec(text)?.[1] ?? 0);
  return order < ROUNDS ? order + 1 : null;
}
