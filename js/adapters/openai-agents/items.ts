import { isPlainObject, omitMembers, type PlainObject } from "../../formats/data.ts";
import { BLANK_IMAGE } from "../../formats/media.ts";

/**
 * Converts an item of the SDK to one of the Responses API, for counting and summarizing. Data of images and files is
 * omitted; kept items are sent unchanged.
 */
export function toWire(item: object): PlainObject {
  const given = item as PlainObject;
  const { type = "message", role, content, id, callId, providerData } = given;
  const more = isPlainObject(providerData) ? providerData : {};
  switch (type) {
    case "message":
      return role === "assistant"
        ? { type, role, content: Array.isArray(content) ? content.map(withoutMediaData) : content }
        : { role, content: Array.isArray(content) ? content.map(withoutMediaData) : content };
    case "function_call":
      return { type, call_id: callId, name: given.name, arguments: given.arguments };
    case "function_call_result":
      return { type: "function_call_output", call_id: callId, output: outputOf(given.output) };
    case "reasoning":
      return { type, id, summary: textsOf(content), content: textsOf(given.rawContent) };
    case "hosted_tool_call":
      return hostedCall(given, more);
    case "computer_call_result":
      return { type: "computer_call_output", call_id: callId, output: { image_url: BLANK_IMAGE } };
    case "shell_call_output":
      return { type, call_id: callId, output: Array.isArray(given.output) ? given.output.map(shellOutput) : [] };
    case "program_output":
      return { type, call_id: callId, result: given.output };
    case "tool_search_call":
    case "tool_search_output": {
      const call_id = callId ?? given.call_id ?? more.call_id ?? more.callId ?? null;
      return {
        type,
        call_id,
        ...(type === "tool_search_call" ? { arguments: given.arguments } : { tools: given.tools }),
      };
    }
    case "compaction":
      return { type, id, encrypted_content: "" };
  }
  const rest = omitMembers(given, ["callId", "status", "providerData", "caller"]);
  return callId === undefined ? { ...rest, ...(type === "unknown" ? more : {}), type } : { ...rest, call_id: callId };
}

/** Returns a part without the data of images and files, on which their counted tokens do not depend. */
function withoutMediaData(part: unknown): unknown {
  if (!isPlainObject(part)) return part;
  const { type, text, refusal } = part;
  if (typeof text === "string") return { type, text };
  return typeof refusal === "string" ? { type, refusal } : { type };
}

function textsOf(list: unknown): PlainObject[] {
  return (Array.isArray(list) ? list : []).filter(isPlainObject).map(({ text }) => ({ text }));
}

/** Reads the output of a function: a text, one part, or a list of parts. */
function outputOf(output: unknown): unknown {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return output.map(withoutMediaData);
  if (isPlainObject(output) && output.type === "text") return output.text;
  return isPlainObject(output) ? [withoutMediaData(output)] : String(output);
}

function hostedCall(item: PlainObject, more: PlainObject): PlainObject {
  const type = typeof item.name === "string" && item.name !== "" ? item.name : "hosted_tool_call";
  const about = { ...omitMembers(more, ["caller"]), type, id: item.id ?? more.id };
  if (type === "mcp_approval_response") {
    return { ...about, approval_request_id: more.approval_request_id ?? more.approvalRequestId };
  }
  if (type === "image_generation_call") return { ...about, result: item.output === undefined ? null : "AA==" };
  return {
    ...about,
    ...(item.arguments === undefined ? {} : { arguments: item.arguments }),
    ...(item.output === undefined ? {} : { output: item.output }),
  };
}

function shellOutput(one: unknown): unknown {
  if (!isPlainObject(one)) return one;
  const { stdout, stderr, outcome } = one;
  const end = isPlainObject(outcome) ? { type: outcome.type, exit_code: outcome.exitCode ?? null } : outcome;
  return { stdout, stderr, outcome: end };
}

/** Returns a result with other content, in the SDK's form for its type. */
export function withContent(item: PlainObject, content: unknown): PlainObject {
  const text = () => plainText(content);
  switch (item.type) {
    case "function_call_result":
      return { ...item, output: typeof content === "string" ? content : replaceTexts(item.output, content) };
    case "computer_call_result":
      return { ...item, output: { type: "computer_screenshot", data: BLANK_IMAGE } };
    case "shell_call_output":
      return { ...item, output: [{ stdout: text(), stderr: "", outcome: { type: "exit", exitCode: 0 } }] };
    case "tool_search_output":
      return { ...item, tools: [] };
    case "apply_patch_call_output":
    case "program_output":
      return { ...item, output: text() };
  }
  return item;
}

/** Returns the new texts, with the images and files of the output in their order. */
function replaceTexts(output: unknown, content: unknown): unknown {
  const media = (Array.isArray(output) ? output : [output]).filter(
    (part) => isPlainObject(part) && part.text === undefined,
  );
  return (Array.isArray(content) ? content : []).flatMap((part) => {
    if (isPlainObject(part) && typeof part.text === "string") return [{ type: "input_text", text: part.text }];
    const own = media.shift();
    return own === undefined ? [] : [own];
  });
}

/** Returns the text of a message that is not from the SDK, such as a summary. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : [])
    .flatMap((part) => (isPlainObject(part) && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}

/** Makes an item for a message that is not from the SDK, such as a summary. */
export function newItem(role: string, text: string): PlainObject {
  const isInstruction = role === "system" || role === "developer";
  if (role !== "assistant") return { type: "message", role: isInstruction ? "system" : "user", content: text };
  return { type: "message", role, status: "completed", content: [{ type: "output_text", text }] };
}
