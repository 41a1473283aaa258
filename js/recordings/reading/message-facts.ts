import type { PlainObject } from "../../formats/data.ts";
import { type ReplyFacts, usageOf } from "./recorded-chat.ts";

/**
 * Reads what a stored message says of its request: members of its own, of `metadata`, or of the metadata that LangChain
 * adds.
 *
 * @param isWhole false if the usage is not that of one request.
 */
export function factsOf(message: PlainObject, isWhole = true): ReplyFacts {
  const metadata = Object(message.metadata) as PlainObject;
  const response = Object(message.response_metadata) as PlainObject;
  const usage = isWhole
    ? usageIn([message, metadata, { usage: message.usage_metadata ?? message.usageMetadata }])
    : undefined;
  return { ...modelAndTime([message, metadata, response]), ...(usage === undefined ? {} : { usage }) };
}

function usageIn(holders: readonly PlainObject[]): ReplyFacts["usage"] {
  const given = holders.flatMap((holder) => [holder.usage, holder.totalUsage, holder]);
  return given.map(usageOf).find((usage) => usage !== undefined);
}

const MODEL_NAMES = ["model", "modelId", "modelName", "model_name", "model_id", "modelID", "model_slug"];
const TIME_NAMES = ["timestamp", "createdAt", "created_at"];

function modelAndTime(holders: readonly PlainObject[]): ReplyFacts {
  const texts = (names: readonly string[]) => holders.flatMap((holder) => names.map((name) => holder[name]));
  const model = texts(MODEL_NAMES).find((value) => typeof value === "string" && value !== "");
  const at = texts(TIME_NAMES).find((value) => value !== undefined && value !== null);
  return { ...(model === undefined ? {} : { model: model as string }), ...(at === undefined ? {} : { at }) };
}

/** The model that a request or a stored chat names. */
export function modelIn({ modelId, model = modelId }: PlainObject): ReplyFacts {
  return typeof model === "string" && model !== "" ? { model } : {};
}

/** Returns the title of a stored chat. */
export function titleOf(chat: PlainObject): string | undefined {
  const title = [chat.title, chat.name, chat.chatTitle, chat.topic, Object(chat.metadata).title].find(
    (value) => typeof value === "string" && value !== "",
  );
  return title as string | undefined;
}
