// What a receiver answers to a request that it does not accept.

/** The error of a request that is not accepted, with the provider's message. */
export class Refusal extends Error {
  /**
   * @param rule the rule that the request breaks, as a short name
   * @param path the place, as a list of names and indices
   */
  constructor(rule, path, message) {
    super(message);
    this.name = "Refusal";
    this.status = 400;
    this.rule = rule;
    this.path = path;
  }

  /** The rule with the place without its indices: equal for refusals of one cause. */
  get kind() {
    const place = this.path.filter((name) => !/^\d+$/.test(name)).join(".");
    return place === "" ? this.rule : `${this.rule}: ${place}`;
  }
}

/** The body of a request as a server reads it. */
export const received = (body) => JSON.parse(JSON.stringify(body));

/** Returns the path as OpenAI writes it: `messages[0].content`. */
export function bracketed(path) {
  return path.map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : index === 0 ? name : `.${name}`)).join("");
}

/** True for a text with half of a surrogate pair, which parsers of JSON refuse. */
export const hasLoneSurrogate = (text) => !text.isWellFormed();

/** Calls `visit` with each text in a value and its path. */
export function eachText(value, visit, path = []) {
  if (typeof value === "string") visit(value, path);
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) eachText(inner, visit, [...path, name]);
  }
}

/** Returns the value of a JSON text, or undefined for any other text. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
