/**
 * The hint of an error of this package after which the same request may succeed.
 *
 * @internal
 */
export const ASK_AGAIN = "ask again";

/** Maximum number of wrapped errors that are read. */
const MAX_ERRORS = 16;

/**
 * Returns an error of a client and the errors in it, outermost first: their `cause`, the last failure of a client that
 * retries, and the body of the provider's response. Never throws, whatever the host threw.
 *
 * @internal
 */
export function errorChain(error: unknown): object[] {
  const chain: object[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null || chain.includes(value) || chain.length === MAX_ERRORS) return;
    chain.push(value);
    for (const name of ["cause", "lastError", "error", "response", "data", "body"]) visit(readMember(value, name));
    const errors = readMember(value, "errors");
    if (Array.isArray(errors)) for (const one of errors.slice(-1)) visit(one);
  };
  visit(error);
  return chain;
}

/**
 * Returns a member of a value of the host; undefined if it can't be read.
 *
 * @internal
 */
export function readMember(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    // A getter or a proxy threw.
    return undefined;
  }
}

/**
 * Returns the HTTP status of a failed request, or null. `code` is a status in the errors of Google and of some servers.
 *
 * @internal
 */
export function statusOf(error: object): number | null {
  const metadata = readMember(error, "$metadata");
  for (const given of [
    readMember(error, "status"),
    readMember(error, "statusCode"),
    readMember(error, "status_code"),
    readMember(metadata, "httpStatusCode"),
    readMember(error, "code"),
  ]) {
    const status = typeof given === "string" && /^\d{3}$/.test(given) ? Number(given) : given;
    if (Number.isInteger(status) && (status as number) >= 400 && (status as number) < 600) return status as number;
  }
  return null;
}
