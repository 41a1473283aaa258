// A history of two turns and its messages; every host must print what Node prints.

import { Lisp, Turn, TurnfoldError, toMessages } from "turnfold";

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
  return [
    messages.at(-1).content,
    `answer: ${new Lisp().runSync("(reduce + [40 2])").value}`,
    `refused: ${refusal()}`,
  ].join("\n");
}

/** The code of an error that crosses the boundary: a value that contains itself is refused. */
function refusal() {
  const endless = [];
  endless.push(endless);
  try {
    return Turn.success({ memory: { endless } }).number;
  } catch (error) {
    return TurnfoldError.isInstance(error) ? error.code : String(error);
  }
}
