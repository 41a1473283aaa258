// A history of two turns and the message a model would see: what Node says to it, every host must say.

import { Turn, TurnfoldError, toMessages, typeOf } from "turnfold";

export function text() {
  const turns = [
    Turn.success({
      number: 1,
      program: '(def orders (tool/orders {:customer "Ada"}))\n(println "open:" (count orders))',
      prints: ["open: 2"],
      toolCalls: [{ name: "orders", args: { customer: "Ada" }, result: [{ id: 7 }, { id: 9 }] }],
      memory: { orders: [{ id: 7 }, { id: 9 }] },
      result: 2,
    }),
    Turn.failure({
      number: 2,
      program: "(:total (firs orders))",
      memory: { orders: [{ id: 7 }, { id: 9 }] },
      result: { reason: "unknown_symbol", message: "firs is not defined" },
    }),
  ];
  const { messages } = toMessages(turns, null, { mission: "Find Ada's open orders — все заказы", maxTurns: 5 });
  return [messages.at(-1).content, `labels: ${typeOf([1])} ${typeOf(new Set())}`, `refused: ${refusal()}`].join("\n");
}

/** An error has to cross the boundary as well; a value that contains itself is refused. */
function refusal() {
  const endless = [];
  endless.push(endless);
  try {
    return typeOf(endless);
  } catch (error) {
    return TurnfoldError.isInstance(error) ? error.code : String(error);
  }
}
