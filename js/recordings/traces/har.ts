import { decodeBase64 } from "../../boundary/base64.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { objectIn } from "../reading/values.ts";
import { loggedRequest } from "./api-requests.ts";
import { chatsOfRequests, type LoggedRequest } from "./request-log.ts";

/** Reads HTTP archives, such as those that the developer tools of browsers and proxies save. */
export const harReader: RecordingReader = {
  format: "har",
  recognizes: (given) => isPlainObject(given) && Array.isArray(objectIn(given.log).entries),
  read: ({ log }: PlainObject) =>
    chatsOfRequests(
      objectsIn(objectIn(log).entries)
        .map(requestOf)
        .filter((request) => request !== null),
    ),
};

function requestOf({ request, response, startedDateTime: start, time }: PlainObject): LoggedRequest | null {
  const { url, postData, headers } = objectIn(request);
  const { status, content } = objectIn(response);
  const { text, encoding } = objectIn(content);
  const session = objectsIn(headers).find(({ name }) => /session[-_]id$/i.test(String(name)));
  return loggedRequest({
    request: objectIn(postData).text,
    response: encoding === "base64" ? decodeText(text) : text,
    url,
    status,
    start,
    end: Date.parse(String(start)) + Number(time),
    session: session?.value,
  });
}

/** Returns the text of a body in base64; empty for one that is cut off. */
function decodeText(text: unknown): string {
  const bytes = decodeBase64(String(text));
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}
