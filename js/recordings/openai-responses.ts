import { type Bag, isBag, textAt } from "../formats/data.ts";
import {
  argumentsOf,
  assistant,
  bagsOf,
  call,
  type Recorded,
  reasoning,
  result,
  system,
  text,
  textOf,
  user,
} from "./recorded.ts";

/** Types of items that only the Responses API has. */
const ITEMS = /^(?:function_call(?:_output)?|custom_tool_call(?:_output)?|reasoning|item_reference|\w+_call)$/;

const PARTS = ["input_text", "output_text", "input_image", "input_file"];

/** True for items of OpenAI's Responses API: alone, or as `input` and `output` of an object. */
export function isResponses(data: unknown): boolean {
  if (isBag(data)) return isResponses(data.output) || isResponses(data.input);
  return Array.isArray(data) && data.length > 0 && data.every(isBag) && data.some(isItem);
}

function isItem({ type, content }: Bag): boolean {
  if (typeof type === "string" && ITEMS.test(type)) return true;
  return Array.isArray(content) && content.some((part) => isBag(part) && PARTS.includes(String(part.type)));
}

/** The items of a request and of its response. */
export function ofResponses(data: unknown): Recorded[] {
  const { instructions, input = [], output = [] } = isBag(data) ? data : { input: data };
  const first = typeof input === "string" ? [user(input)] : ofItems(input, "input");
  const prompt = typeof instructions === "string" && instructions !== "" ? [system(instructions)] : [];
  return [...prompt, ...first, ...ofItems(output, "output")];
}

function ofItems(items: unknown, root: string): Recorded[] {
  const names = new Map<string, string>();
  return bagsOf(items, [root]).flatMap((item, index) => {
    const path = [root, index];
    const { type = "message", role, content } = item;
    if (type === "message") {
      if (role === "assistant") {
        const said = textOf(content);
        return assistant(said === "" ? [] : [text(said)]);
      }
      if (role === "system" || role === "developer") return [system(textOf(content))];
      return [user(typeof content === "string" ? content : bagsOf(content, [...path, "content"]).map(partOf))];
    }
    if (type === "reasoning") {
      const thought = textOf(item.summary ?? item.content);
      return assistant(thought === "" ? [] : [reasoning(thought)]);
    }
    if (type === "function_call" || type === "custom_tool_call") {
      const [id, name] = [textAt(item, "call_id", path), textAt(item, "name", path)];
      names.set(id, name);
      return assistant([call(id, name, argumentsOf(item.arguments ?? item.input))]);
    }
    if (type === "function_call_output" || type === "custom_tool_call_output") {
      const id = textAt(item, "call_id", path);
      return [result(id, names.get(id) ?? "unknown", textOf(item.output))];
    }
    // Tools of the provider, such as its search: the model was shown what they gave.
    return assistant([text(JSON.stringify(item))]);
  });
}

function partOf(part: Bag): Bag {
  if (typeof part.text === "string") return text(part.text);
  if (part.type === "input_image" && typeof part.image_url === "string")
    return { type: "image", image: part.image_url };
  return text(JSON.stringify(part));
}
