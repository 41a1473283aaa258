// Writes the facts in a JSON Schema that a type does not express, as a line for models:
// `how many at most (1 to 100, default 10)`.

/** The members of a JSON Schema that are read. */
export type Schema = Readonly<Record<string, unknown>>;

/** Maximum length of a description in characters; a longer one is replaced by its first sentence or its beginning. */
const MAX_DESCRIPTION = 120;

/** Maximum length of a default or a pattern in characters; longer ones are omitted. */
const MAX_VALUE = 60;

/** Number of constants shown for an enum that is too long for a type. */
const SHOWN_CONSTANTS = 5;

/**
 * Returns the line about a field; undefined when its schema adds nothing to its type.
 *
 * @param layers the schema, then the schemas that it refers to or wraps, from the outside to the inside.
 * @param items the layers of the elements of a list.
 *
 * @internal
 */
export function noteOf(layers: readonly Schema[], items: readonly Schema[] = []): string | undefined {
  const description = layers.map(({ description }) => description).find((text) => typeof text === "string");
  const facts = [...factsOf(layers), ...factsOf(items).map((fact) => `each ${fact}`), ...defaultOf(layers)].join(", ");
  const text = shortenDescription((description as string | undefined) ?? "");
  if (text === "") return facts === "" ? undefined : facts;
  return facts === "" ? text : `${text} (${facts})`;
}

function factsOf(layers: readonly Schema[]): string[] {
  const schema: Schema = Object.assign({}, ...[...layers].reverse());
  const { multipleOf, format, pattern, uniqueItems, enum: constants } = schema;
  const facts = [
    numberRange(schema),
    typeof multipleOf === "number" && multipleOf !== 1 ? `a multiple of ${multipleOf}` : "",
    countRange(schema.minLength, schema.maxLength, "character"),
    typeof format === "string" && isOneWord(format) ? `format ${format}` : patternOf(pattern),
    countRange(schema.minItems, schema.maxItems, "item"),
    uniqueItems === true ? "no duplicates" : "",
    Array.isArray(constants) && !areShort(constants) ? constantsSample(constants) : "",
  ];
  return facts.filter((fact) => fact !== "");
}

/** `1 to 100`, `more than 0`. Bounds of safe integers are omitted: they come from JavaScript, not from the tool. */
function numberRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string {
  const [min, max] = [boundOf(minimum), boundOf(maximum)];
  // Before draft 6 these are flags.
  const above = exclusiveMinimum === true ? min : boundOf(exclusiveMinimum);
  const below = exclusiveMaximum === true ? max : boundOf(exclusiveMaximum);
  if (min !== undefined && max !== undefined && above === undefined && below === undefined)
    return min === max ? `only ${min}` : `${min} to ${max}`;
  const from = above === undefined ? min !== undefined && `at least ${min}` : `more than ${above}`;
  const to = below === undefined ? max !== undefined && `at most ${max}` : `less than ${below}`;
  return [from, to].filter((bound) => bound !== false).join(", ");
}

function boundOf(bound: unknown): number | undefined {
  return typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

/** `1 to 5 items`, `at least 1 character`. */
function countRange(min: unknown, max: unknown, what: string): string {
  const [from, to] = [boundOf(min) ?? 0, boundOf(max)];
  const counted = (count: number) => `${count} ${what}${count === 1 ? "" : "s"}`;
  if (to === undefined) return from > 0 ? `at least ${counted(from)}` : "";
  if (from === to) return counted(to);
  return from > 0 ? `${from} to ${counted(to)}` : `at most ${counted(to)}`;
}

function patternOf(pattern: unknown): string {
  return typeof pattern === "string" && pattern.length <= MAX_VALUE && !/[\r\n]/.test(pattern)
    ? `matches ${pattern}`
    : "";
}

function isOneWord(text: string): boolean {
  return /^[\w-]{1,40}$/.test(text);
}

function constantsSample(constants: readonly unknown[]): string {
  const shown = constants.slice(0, SHOWN_CONSTANTS).map((constant) => JSON.stringify(constant));
  return `one of ${constants.length}, such as ${shown.join(", ")}`;
}

function defaultOf(layers: readonly Schema[]): string[] {
  const given = layers.find((layer) => Object.hasOwn(layer, "default"))?.default ?? undefined;
  const text = given === undefined ? undefined : JSON.stringify(given);
  return text === undefined || text.length > MAX_VALUE ? [] : [`default ${text}`];
}

/** Maximum number of constants in a type, and of their total characters. */
const MAX_CONSTANTS = 25;
const MAX_CONSTANTS_LENGTH = 250;

/**
 * True when constants are few and short enough to be listed in a type.
 *
 * @internal
 */
export function areShort(constants: readonly unknown[]): boolean {
  return constants.length <= MAX_CONSTANTS && JSON.stringify(constants).length <= MAX_CONSTANTS_LENGTH;
}

function shortenDescription(description: string): string {
  const text = description.trim().replaceAll(/\s+/g, " ");
  if (text.length <= MAX_DESCRIPTION) return text;
  const [sentence = ""] = /^.*?[.!?](?= )/.exec(text) ?? [];
  if (sentence !== "" && sentence.length <= MAX_DESCRIPTION) return sentence;
  const cut = text.slice(0, MAX_DESCRIPTION - 1);
  // Not within a word, nor between the halves of a character.
  return `${cut.replace(/\s+\S*$/, "").replace(/[\uD800-\uDBFF]$/, "")}…`;
}
