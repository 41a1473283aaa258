import { announcesChanges, type MCPClient } from "./mcp-client.ts";

const LIST_CHANGED_METHOD = "notifications/tools/list_changed";

/** Number of times that a server announced a change of its list of tools. */
export interface ListChanges {
  count: number;
}

/** The announced changes by transport or client. Each is observed only once, even if several lists read it. */
const observedChanges = new WeakMap<object, ListChanges>();

/**
 * Returns the counter of the changes that the server announces: another object after the client was connected to
 * another transport, null while it is closed.
 *
 * A client has only one handler for a notification, which is the host's; therefore the messages of its transport are
 * observed. A handler is set only on a client without a member `transport`.
 */
export function listChanges(client: MCPClient): ListChanges | null {
  const { transport } = client;
  const key = "transport" in client ? transport : client;
  if (typeof key !== "object" || key === null) return null;
  const known = observedChanges.get(key);
  if (known !== undefined) return known;
  const changes: ListChanges = { count: 0 };
  observedChanges.set(key, changes);
  if (announcesChanges(client)) {
    if (key === client) setHandler(client, changes);
    else tapMessages(key, changes);
  }
  return changes;
}

function tapMessages(transport: { onmessage?: unknown }, changes: ListChanges): void {
  const receive = transport.onmessage as (...args: unknown[]) => unknown;
  if (typeof receive !== "function") return;
  try {
    transport.onmessage = function (this: unknown, ...args: unknown[]): unknown {
      if ((args[0] as { method?: unknown } | null | undefined)?.method === LIST_CHANGED_METHOD) changes.count++;
      return receive.apply(this, args);
    };
  } catch {
    // A transport that can't be changed can't be observed.
  }
}

/**
 * Sets a handler. Version 2 of the SDK accepts the method of a notification; version 1 a schema, of which it reads
 * these members.
 */
function setHandler(client: MCPClient, changes: ListChanges): void {
  const schema = {
    shape: { method: { value: LIST_CHANGED_METHOD } },
    safeParse: (data: unknown) => ({ success: true, data }),
    parse: (data: unknown) => data,
  };
  for (const method of [LIST_CHANGED_METHOD, schema]) {
    try {
      client.setNotificationHandler?.(method, () => {
        changes.count++;
      });
      return;
    } catch {
      // The other version.
    }
  }
}
