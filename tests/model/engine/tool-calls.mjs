// The tools of a request: their description for the model, the grammar that forces a call, and the call in a reply.
//
// The model was not trained to call tools. `tool_choice: "required"`, or the name of a tool, forces a call by a grammar.

import { jsonGrammar } from "./json-grammar.mjs";
import { RequestProblem } from "./request-problem.mjs";

const [BEGIN, END] = ["<tool_call>", "</tool_call>"];

/** The tools of a request, and how the model may call them. */
export class Tools {
  #functions;
  /** The names of which a reply must call one; null when no call is required. */
  #required;
  #mayCall;

  /** @throws {RequestProblem} */
  constructor({ tools, tool_choice: choice = "auto" }) {
    const list = tools ?? [];
    if (!Array.isArray(list) || !list.every(isTool)) {
      throw new RequestProblem('tools must be a list of { type: "function", function: { name } }', { param: "tools" });
    }
    this.#functions = list.map((tool) => tool.function);
    const names = this.#functions.map(({ name }) => name);
    const named = typeof choice === "object" && choice !== null ? choice.function?.name : undefined;
    const isKnown = named === undefined ? ["none", "auto", "required"].includes(choice) : names.includes(named);
    if (!isKnown || (choice === "required" && names.length === 0)) {
      throw new RequestProblem("tool_choice must be none, auto, required, or a tool of the request", {
        param: "tool_choice",
      });
    }
    this.#required = named !== undefined ? [named] : choice === "required" ? names : null;
    this.#mayCall = names.length > 0 && choice !== "none";
  }

  /** The grammar of a reply that has to call a tool. */
  get grammar() {
    if (this.#required === null) return undefined;
    const called = this.#functions.filter(({ name }) => this.#required.includes(name));
    return jsonGrammar({
      anyOf: called.map(({ name, parameters = { type: "object", properties: {}, additionalProperties: false } }) => ({
        type: "object",
        properties: { name: { const: name }, arguments: parameters },
        additionalProperties: false,
      })),
    });
  }

  /** The description of the tools, which is appended to the system message; empty without tools. */
  get text() {
    if (this.#functions.length === 0) return "";
    const lines = this.#functions.map((each) => JSON.stringify(each));
    return `\n\nTo call a tool, reply with ${BEGIN}{"name": …, "arguments": …}${END} alone. The tools:\n${lines.join("\n")}`;
  }

  /** True when a reply with this beginning may be a call, so that it is not streamed yet. */
  mayBeCall(text) {
    if (this.#required !== null) return true;
    const begun = text.trimStart();
    return this.#mayCall && (begun.startsWith(BEGIN) || BEGIN.startsWith(begun));
  }

  /** The call in a whole reply, or null. */
  callIn(text) {
    if (!this.mayBeCall(text)) return null;
    const inner = text.trim().replace(BEGIN, "").replace(END, "");
    try {
      const { name, arguments: args } = JSON.parse(inner);
      if (!this.#functions.some((each) => each.name === name) || typeof args !== "object") return null;
      return { name, arguments: JSON.stringify(args) };
    } catch {
      // A reply that was cut off counts as text.
      return null;
    }
  }
}

function isTool(tool) {
  return tool?.type === "function" && typeof tool.function?.name === "string";
}
