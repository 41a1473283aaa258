import { type Bag, isBag, textAt } from "../formats/data.ts";
import { assistant, bagsOf, call, type Recorded, reasoning, result, system, text, textOf, user } from "./recorded.ts";

/** The types of LangChain's messages, and the ends of the names of their classes. */
const KINDS: Readonly<Record<string, string>> = {
  human: "user",
  HumanMessage: "user",
  ai: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  system: "system",
  SystemMessage: "system",
  tool: "tool",
  ToolMessage: "tool",
};

/** The kind of a message and its members: of a stored one, of a constructor call, or of a dump. */
function partsOf(given: unknown): { kind: string; message: Bag } | null {
  if (!isBag(given)) return null;
  const { type, id, kwargs, data } = given;
  if (type === "constructor" && isBag(kwargs) && Array.isArray(id)) {
    const kind = KINDS[String(id.at(-1))];
    return kind === undefined ? null : { kind, message: kwargs };
  }
  const kind = typeof type === "string" ? KINDS[type] : undefined;
  if (kind === undefined || given.role !== undefined) return null;
  const message = isBag(data) ? data : given;
  return Object.hasOwn(message, "content") ? { kind, message } : null;
}

/** True for a list of LangChain's messages: stored, serialized, or dumped. */
export function isLangChain(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((message) => partsOf(message) !== null);
}

/** Messages of LangChain. What a message of the model repeats of its calls in its content is read once. */
export function ofLangChain(list: unknown): Recorded[] {
  const names = new Map<string, string>();
  return bagsOf(list, ["messages"]).flatMap((given, index) => {
    const path = ["messages", index];
    const { kind, message } = partsOf(given) as { kind: string; message: Bag };
    const { content } = message;
    if (kind === "system") return [system(textOf(content))];
    if (kind === "user") return [user(typeof content === "string" ? content : bagsOf(content, path).map(partOf))];
    if (kind === "tool") {
      const id = textAt(message, "tool_call_id", path);
      return [
        result(
          id,
          String(message.name ?? names.get(id) ?? "unknown"),
          typeof content === "string" ? content : textOf(content),
        ),
      ];
    }
    const said =
      typeof content === "string"
        ? content === ""
          ? []
          : [text(content)]
        : bagsOf(content ?? [], [...path, "content"])
            .filter(({ type }) => !CALLS.includes(String(type)))
            .map(partOf);
    const calls = bagsOf(message.tool_calls ?? [], [...path, "tool_calls"]).map((one, place) => {
      const name = textAt(one, "name", [...path, "tool_calls", place]);
      const id = typeof one.id === "string" ? one.id : `call_${index}_${place}`;
      names.set(id, name);
      return call(id, name, one.args ?? {});
    });
    return assistant([...said, ...calls]);
  });
}

/** Parts of contents that `tool_calls` repeats. */
const CALLS = ["tool_use", "tool_call", "tool_call_chunk", "input_json_delta", "function_call"];

function partOf(part: Bag): Bag {
  const { type, image_url: image } = part;
  if (typeof part.text === "string" && (type === "text" || type === "output_text")) return text(part.text);
  const thought = part.thinking ?? part.reasoning;
  if (typeof thought === "string") return reasoning(thought);
  const url = isBag(image) ? image.url : image;
  if (type === "image_url" && typeof url === "string") return { type: "image", image: url };
  return text(JSON.stringify(part));
}
