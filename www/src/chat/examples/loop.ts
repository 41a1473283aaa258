import type { SavedChatExample } from "../store.ts";

/** A round: the text of the model, the tool that it calls, and the result. */
type Round = readonly [said: string, tool: string, input: object, result: string];

const file = (path: string, lines: readonly string[]) =>
  [`// ${path}`, ...lines, ...lines.map((line) => `${line} // as on the main branch`)].join("\n");

const rounds: readonly Round[] = [
  [
    "I run the build first.",
    "run",
    { command: "npm run build" },
    "error TS2345 in src/cart/total.ts:41\nArgument of type 'string | undefined' is not assignable to parameter of type 'number'.\nerror TS2322 in src/cart/discount.ts:17\nType 'null' is not assignable to type 'Discount'.\n2 errors, 214 modules checked",
  ],
  [
    "",
    "read_file",
    { path: "src/cart/total.ts" },
    file("src/cart/total.ts", [
      "export function total(items: Item[], vat: string | undefined) {",
      "  const net = items.reduce((sum, item) => sum + item.price * item.count, 0);",
      "  return addVat(net, vat);",
      "}",
    ]),
  ],
  [
    "The rate arrives as a text. I look where it comes from.",
    "search",
    { text: "total(" },
    "src/cart/page.tsx:88  total(items, settings.vat)\nsrc/orders/mail.ts:31  total(order.items, order.vat)\nsrc/orders/refund.ts:12  total(refund.items, undefined)\ntests/total.test.ts:9  total(three, '0.19')",
  ],
  [
    "",
    "read_file",
    { path: "src/settings.ts" },
    file("src/settings.ts", [
      "export interface Settings {",
      "  /** A share such as 0.19; absent in countries without one. */",
      "  vat?: string;",
      "  currency: 'EUR' | 'NOK';",
      "}",
    ]),
  ],
  [
    "",
    "read_file",
    { path: "src/cart/discount.ts" },
    file("src/cart/discount.ts", [
      "export function discountFor(code: string): Discount {",
      "  const found = codes.get(code.trim().toUpperCase());",
      "  return found ?? null;",
      "}",
    ]),
  ],
  [
    "A code that is unknown gives null, which nobody expects.",
    "search",
    { text: "discountFor(" },
    "src/cart/page.tsx:52  const discount = discountFor(code)\nsrc/cart/page.tsx:53  setPrice(price - discount.amount)\ntests/discount.test.ts:14  discountFor('none')",
  ],
  [
    "I mend the total.",
    "edit_file",
    { path: "src/cart/total.ts", line: 43, text: "  return addVat(net, Number(vat ?? 0));" },
    "1 line changed",
  ],
  [
    "",
    "edit_file",
    { path: "src/cart/discount.ts", line: 17, text: "  return found ?? NO_DISCOUNT;" },
    "1 line changed",
  ],
  [
    "",
    "run",
    { command: "npm run build" },
    "error TS2304 in src/cart/discount.ts:19\nCannot find name 'NO_DISCOUNT'.\n1 error, 214 modules checked",
  ],
  [
    "",
    "edit_file",
    { path: "src/cart/discount.ts", line: 3, text: "const NO_DISCOUNT: Discount = { code: '', amount: 0 };" },
    "1 line added",
  ],
  ["", "run", { command: "npm run build" }, "0 errors, 214 modules checked\nbuilt in 6.2 s"],
  [
    "It builds. Now the tests.",
    "run",
    { command: "npm test" },
    "tests/total.test.ts  7 passed\ntests/discount.test.ts  3 passed, 1 failed\n  “an unknown code gives null” expected null, got { code: '', amount: 0 }\n41 passed, 1 failed",
  ],
];

const messages = [
  { role: "system", content: "You keep the build of a web shop green. One fix at a time; say what you did." },
  { role: "user", content: "The build fails since the merge of this morning. Mend it, and run the tests." },
  ...rounds.flatMap(([said, name, input, output], index) => [
    {
      role: "assistant",
      content: [
        ...(said === "" ? [] : [{ type: "text", text: said }]),
        { type: "tool-call", toolCallId: `call_${index + 1}`, toolName: name, input },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `call_${index + 1}`,
          toolName: name,
          output: { type: "text", value: output },
        },
      ],
    },
  ]),
];

export const loop: SavedChatExample = {
  title: "Running tool loop",
  summary: "one question and twelve rounds of calls: its earlier rounds are compressed while it runs",
  saved: {
    messages: JSON.stringify(messages, null, 2),
    strategy: "clearToolResults",
    options: { keep: "3", minMessages: "0" },
  },
};
