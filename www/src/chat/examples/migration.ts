import type { SavedChatExample } from "../store.ts";

/** A module that the agent migrates, with the fields that hold money. */
interface Module {
  readonly name: string;
  readonly noun: string;
  readonly fields: readonly string[];
  /** A file that calls the module, which the agent changes at the end. */
  readonly caller: string;
  /** What the tests say after the change; absent when they pass. */
  readonly failure?: readonly [test: string, expected: string, got: string, cause: string];
}

const modules: readonly Module[] = [
  { name: "fares", noun: "Fare", fields: ["base", "peak", "portFee", "fuel"], caller: "src/api/quotes.ts" },
  {
    name: "vehicles",
    noun: "VehicleFare",
    fields: ["perMetre", "height", "trailer", "motorbike"],
    caller: "src/api/check-in.ts",
    failure: ["rounds a trailer of 6.35 m up", "20320", "20319", "Math.floor in chargeableLength"],
  },
  { name: "cabins", noun: "Cabin", fields: ["inside", "window", "suite", "pet"], caller: "src/pages/cabin-picker.tsx" },
  {
    name: "discounts",
    noun: "Discount",
    fields: ["amount", "ceiling", "minimumSpend", "granted"],
    caller: "src/jobs/loyalty-points.ts",
    failure: ["caps SUMMER26 at its ceiling", "4500", "45", "ceiling is read from config/discounts.yaml in euros"],
  },
  { name: "vouchers", noun: "Voucher", fields: ["face", "used", "left", "fee"], caller: "src/mail/voucher-mail.ts" },
  {
    name: "deposits",
    noun: "Deposit",
    fields: ["held", "captured", "fee", "lost"],
    caller: "src/payments/terminal.ts",
  },
  {
    name: "refunds",
    noun: "Refund",
    fields: ["requested", "granted", "withheld", "fee"],
    caller: "src/jobs/storm-cancellations.ts",
    failure: ["refunds half of an odd amount", "1851", "1850", "the v1 rule LEGACY_HALF_UP rounds half away from zero"],
  },
  { name: "invoices", noun: "Invoice", fields: ["net", "vat", "gross", "paid"], caller: "src/pdf/invoice-template.ts" },
  { name: "ledger", noun: "Posting", fields: ["debit", "credit", "balance", "vat"], caller: "src/export/datev.ts" },
  {
    name: "payouts",
    noun: "Payout",
    fields: ["gross", "commission", "vat", "net"],
    caller: "src/jobs/agency-payouts.ts",
    failure: ["agrees with statement PO-2026-118", "88210", "88211", "commission was rounded twice"],
  },
  { name: "meals", noun: "Meal", fields: ["adult", "child", "buffet", "drink"], caller: "src/pages/meal-step.tsx" },
  {
    name: "months",
    noun: "Month",
    fields: ["opening", "turnover", "tax", "closing"],
    caller: "src/export/month-end.ts",
  },
  {
    name: "cargo",
    noun: "Load",
    fields: ["perTonne", "cooling", "danger", "quay"],
    caller: "src/edi/iftmbf-reader.ts",
  },
  {
    name: "insurance",
    noun: "Cover",
    fields: ["premium", "excess", "claim", "tax"],
    caller: "src/api/cover-offers.ts",
  },
  { name: "groups", noun: "Group", fields: ["seat", "guide", "bus", "deposit"], caller: "src/pages/group-request.tsx" },
  {
    name: "passes",
    noun: "Pass",
    fields: ["price", "perTrip", "overage", "left"],
    caller: "src/jobs/pass-renewals.ts",
  },
];

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const singular = (name: string): string => name.replace(/s$/, "");
const total = ({ name }: Module): string => `${singular(name)}Total`;
const path = ({ name }: Module): string => `src/money/${name}.ts`;

/** The source of a module before the change. */
const source = (module: Module): string => {
  const { name, noun, fields } = module;
  return [
    `import { query } from "../db/pool.ts";`,
    `import { formatEuro, parseEuro } from "./format.ts";`,
    "",
    `/** A row of the table ${name}; amounts are euros. */`,
    `export interface ${noun} {`,
    "  readonly id: string;",
    "  readonly sailing: string;",
    ...fields.map((field) => `  readonly ${field}: number;`),
    "}",
    "",
    `export async function load${capital(name)}(sailing: string): Promise<readonly ${noun}[]> {`,
    `  const rows = await query("select * from ${name} where sailing = $1 order by id", [sailing]);`,
    "  return rows.map((row) => ({",
    "    id: row.id,",
    "    sailing: row.sailing,",
    ...fields.map((field) => `    ${field}: parseEuro(row.${field}),`),
    "  }));",
    "}",
    "",
    `export function ${total(module)}(rows: readonly ${noun}[]): number {`,
    `  const sum = rows.reduce((all, row) => all + ${fields.map((field) => `row.${field}`).join(" + ")}, 0);`,
    "  return Math.round(sum * 100) / 100;",
    "}",
    "",
    "/** The rows as they stood at a time, for statements that are printed again. */",
    `export async function ${name}At(sailing: string, at: Date): Promise<readonly ${noun}[]> {`,
    `  const rows = [...(await load${capital(name)}(sailing))];`,
    ...fields.flatMap((field) => [
      `  for (const [index, row] of rows.entries()) {`,
      `    const [last] = await query("select ${field} from ${name}_history where id = $1 and since <= $2 limit 1", [row.id, at]);`,
      `    if (last === undefined) throw new Error(\`\${row.id} has no ${field} at \${at.toISOString()}\`);`,
      `    const change = Math.round((parseEuro(last.${field}) - row.${field}) * 100) / 100;`,
      `    if (Math.abs(change) > 0.005) rows[index] = { ...row, ${field}: row.${field} + change };`,
      "  }",
    ]),
    "  return rows;",
    "}",
    "",
    "/** The shares of several passengers; the first pays what is left of the rounding. */",
    `export function ${singular(name)}Shares(row: ${noun}, passengers: number): readonly ${noun}[] {`,
    ...fields.flatMap((field) => [
      `  const each${capital(field)} = Math.round((row.${field} / passengers) * 100) / 100;`,
      `  const first${capital(field)} = row.${field} - each${capital(field)} * (passengers - 1);`,
      `  if (first${capital(field)} < 0) throw new RangeError(\`${field} of \${row.id} can’t be shared by \${passengers}\`);`,
    ]),
    "  return Array.from({ length: passengers }, (_, index) => ({",
    "    ...row,",
    ...fields.map((field) => `    ${field}: index === 0 ? first${capital(field)} : each${capital(field)},`),
    "  }));",
    "}",
    "",
    "/** The sums of each month in euros, for the report of the harbour office. */",
    `export function ${name}ByMonth(rows: readonly (${noun} & { readonly departs: Date })[]): Map<string, ${noun}> {`,
    `  const months = new Map<string, ${noun}>();`,
    "  for (const row of rows) {",
    "    const month = row.departs.toISOString().slice(0, 7);",
    "    const before = months.get(month);",
    "    months.set(month, {",
    "      id: month,",
    "      sailing: row.sailing,",
    ...fields.map((field) => `      ${field}: Math.round(((before?.${field} ?? 0) + row.${field}) * 100) / 100,`),
    "    });",
    "  }",
    "  return months;",
    "}",
    "",
    `export const describe${noun} = (row: ${noun}): string =>`,
    `  \`${fields.map((field) => `${field} \${formatEuro(row.${field})}`).join(", ")}\`;`,
  ].join("\n");
};

/** The change of a module as `git diff` prints it. */
const diff = (module: Module): string =>
  [
    `diff --git a/${path(module)} b/${path(module)}`,
    "@@ -6,9 +6,9 @@",
    ...module.fields.flatMap((field) => [`-  readonly ${field}: number;`, `+  readonly ${field}: bigint;`]),
    "@@ -14,9 +14,9 @@",
    ...module.fields.flatMap((field) => [
      `-    ${field}: parseEuro(row.${field}),`,
      `+    ${field}: BigInt(row.${field}),`,
    ]),
    "@@ -21,4 +21,3 @@",
    `-  return Math.round(sum * 100) / 100;`,
    `+  return sum;`,
    ...module.fields.flatMap((field) => [
      `-  const share = Math.round((row.${field} / passengers) * 100) / 100;`,
      `-  return index === 0 ? row.${field} - share * (passengers - 1) : share;`,
      `+  const share = row.${field} / BigInt(passengers);`,
      `+  return index === 0 ? row.${field} - share * BigInt(passengers - 1) : share;`,
    ]),
  ].join("\n");

/** The source of a file that calls a module. */
const callerSource = (module: Module): string => {
  const { name, noun, fields } = module;
  return [
    `import { load${capital(name)}, ${total(module)}, describe${noun} } from "../money/${name}.ts";`,
    `import { log } from "../log.ts";`,
    "",
    `export async function answer(booking: Booking, request: Request): Promise<Answer> {`,
    `  const rows = await load${capital(name)}(booking.sailing);`,
    `  if (rows.length === 0) return { ...booking, amount_eur: 0, lines: [] };`,
    `  const due = ${total(module)}(rows).toFixed(2);`,
    `  log.info("${name} of a booking", { booking: booking.id, due });`,
    ...fields.flatMap((field) => [
      `  const ${field} = rows.reduce((all, row) => all + row.${field}, 0);`,
      `  if (${field} < 0) throw new RangeError(\`${field} of \${booking.id} is \${${field}.toFixed(2)}\`);`,
    ]),
    `  if (request.accepts("text")) return rows.map(describe${noun}).join("\\n");`,
    `  return { ...booking, amount_eur: ${total(module)}(rows), lines: rows.map(describe${noun}) };`,
    "}",
  ].join("\n");
};

/** The hits of a search for the total of a module. */
const uses = (module: Module, index: number): string =>
  [
    `${path(module)}:${20 + module.fields.length * 2}: export function ${total(module)}(rows: readonly ${module.noun}[]): number {`,
    `${module.caller}:${31 + index * 7}:   const due = ${total(module)}(rows).toFixed(2);`,
    `${module.caller}:${58 + index * 5}:   return { ...booking, amount_eur: ${total(module)}(rows) };`,
    `tests/money/${module.name}.test.ts:14:   expect(${total(module)}(two)).toBeCloseTo(${(48.2 + index * 3).toFixed(2)}, 2);`,
    `tests/money/${module.name}.test.ts:22:   expect(${total(module)}([])).toBe(0);`,
  ].join("\n");

const KINDS = ["money", "api", "pages", "jobs"];

/** What the whole test suite prints while a test of a module fails, or none. */
const suite = (failure: Module["failure"], failing: string): string => {
  const files = KINDS.flatMap((kind, at) =>
    modules.map(({ name }, index) => {
      const count = 4 + ((index * 5 + at * 3) % 11);
      const isFailing = kind === "money" && name === failing && failure !== undefined;
      return ` ${isFailing ? "❯" : "✓"} tests/${kind}/${name}.test.ts (${count} tests${isFailing ? " | 1 failed" : ""}) ${count * 7 + at}ms`;
    }),
  );
  const total = ` Test Files  ${failure === undefined ? "" : "1 failed | "}${files.length - (failure === undefined ? 0 : 1)} passed (${files.length})`;
  if (failure === undefined) return [" RUN  v3.2.1 northferry", "", ...files, "", total].join("\n");
  const [test, expected, got, cause] = failure;
  return [
    " RUN  v3.2.1 northferry",
    "",
    ...files,
    "",
    ` FAIL  tests/money/${failing}.test.ts > ${failing} > ${test}`,
    `AssertionError: expected ${got} to be ${expected}`,
    ` ❯ tests/money/${failing}.test.ts:71:22`,
    ` hint: ${cause}`,
    "",
    total,
  ].join("\n");
};

/** A round: the text of the model, the tool that it calls, and the result. */
type Round = readonly [said: string, tool: string, input: object, result: string];

const run = (command: string, result: string, said = ""): Round => [said, "run", { command }, result];
const read = (file: string, result: string, said = ""): Round => [said, "read_file", { path: file }, result];
const edit = (file: string, change: string, said = ""): Round => [
  said,
  "edit_file",
  { path: file, change },
  "1 file changed, type check passed",
];

const roundsOf = (module: Module, index: number): readonly Round[] => {
  const { name, fields, failure } = module;
  return [
    read(path(module), source(module), `Next is ${name}.`),
    ["", "search", { text: `${total(module)}(` }, uses(module, index)],
    edit(path(module), `${fields.join(", ")} as bigint cents; ${total(module)} adds without rounding`),
    run(`git diff ${path(module)}`, diff(module)),
    run("npm test", suite(failure, name)),
    ...(failure === undefined
      ? []
      : [
          edit(path(module), `mend “${failure[0]}”: ${failure[3]}`, `One test fails: ${failure[3]}.`),
          run("npm test", suite(undefined, name)),
        ]),
  ];
};

const start: readonly Round[] = [
  run(
    "git grep -ln parseEuro src",
    modules.map((module) => path(module)).join("\n"),
    "I list the modules that parse euros first.",
  ),
  read(
    "docs/decisions/0031-cents.md",
    "# 31. Amounts are whole cents\n\nAll amounts in src/money and in the database become bigint cents.\nThe migration is db/migrations/20261104_cents.sql; it runs after the nightly backup ferry-nightly-0231.\nThe answers of /v1 keep amount_eur with two decimals, through centsToEuroText of src/money/format.ts.\nThe flag MONEY_CENTS_READ switches reading; it goes on for 5 % of the sailings first.",
  ),
];

const end: readonly Round[] = [
  ...modules.flatMap((module, index) => [
    read(module.caller, callerSource(module), index === 0 ? "All modules hold cents. Their callers are left." : ""),
    edit(module.caller, "amount_eur through centsToEuroText; no toFixed"),
  ]),
  run("npm test", suite(undefined, ""), "Now everything together."),
  run(
    "psql staging -f db/migrations/20261104_cents.sql",
    "ALTER TABLE ×16\nUPDATE 1 904 311\nNOTICE: 3 vouchers had fractions of a cent: V-77120, V-77348, V-81002\nCOMMIT",
    "The migration, on staging.",
  ),
];

let calls = 0;
const messagesOf = ([said, name, input, result]: Round): readonly object[] => {
  const toolCallId = `call_${++calls}`;
  return [
    {
      role: "assistant",
      content: [
        ...(said === "" ? [] : [{ type: "text", text: said }]),
        { type: "tool-call", toolCallId, toolName: name, input },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName: name, output: { type: "text", value: result } }],
    },
  ];
};

const rounds = modules.map(roundsOf);
const messages = [
  {
    role: "system",
    content:
      "You work in the repository of Northferry, the booking system of a ferry line. Read before you edit, run the tests of a module after each change, and never change what /v1 answers.",
  },
  {
    role: "user",
    content:
      "Amounts are floating-point euros everywhere, and month-end is off by cents again. Move all of src/money to whole cents, as decision 31 says. Start with the modules, then their callers.",
  },
  ...start.flatMap(messagesOf),
  ...rounds.slice(0, 7).flat().flatMap(messagesOf),
  { role: "assistant", content: "Seven of sixteen modules hold cents, from fares to refunds. Shall I go on?" },
  { role: "user", content: "Yes. Leave LEGACY_HALF_UP in for refunds: accounting wants it until the end of the year." },
  ...rounds.slice(7).flat().flatMap(messagesOf),
  ...end.flatMap(messagesOf),
  {
    role: "assistant",
    content:
      "Done: sixteen modules and their callers use cents, all tests pass, and staging is migrated. Three vouchers had fractions of a cent.",
  },
  {
    role: "user",
    content: "Good. Which rounding rule stays, and which steps are left for production, in which order?",
  },
];

export const migration: SavedChatExample = {
  title: "Coding agent",
  summary: "126 calls at two thirds of the price, and every name that a later call used is still there",
  saved: { messages: JSON.stringify(messages, null, 2), strategy: "digest" },
};
