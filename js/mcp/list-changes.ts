import { announcesChanges, type MCPClient } from "./mcp-client.ts";

const METHOD = "notifications/tools/list_changed";

/** How often a server announced that its list of tools changed. */
export interface ListChanges {
  count: number;
}

/** The changes that were announced by transports and clients, each of which is observed once, whatever number of lists reads it. */
const observed = new WeakMap<object, ListChanges>();

/**
 * The counter of the changes that the server announces. Another object after the client was connected anew; null when nothing can
 * be observed.
 *
 * A client has one handler for a notification, which belongs to the host; so the messages of its transport are observed. Only a
 * client that shows no transport gets a handler.
 */
export function listChanges(client: MCPClient): ListChanges | null {
  const { transport } = client;
  const key = "transport" in client ? transport : client;
  if (typeof key !== "object" || key === null) return null;
  const known = observed.get(key);
  if (known !== undefined) return known;
  const changes: ListChanges = { count: 0 };
  if (!announcesChanges(client)) return null;
  if (!(key === client ? setHandler(client, changes) : tapMessages(key, changes))) return null;
  observed.set(key, changes);
  return changes;
}

function tapMessages(transport: { onmessage?: unknown }, changes: ListChanges): boolean {
  const receive = transport.onmessage as (...args: unknown[]) => unknown;
  if (typeof receive !== "function") return false;
  const tapped = function (this: unknown, ...args: unknown[]): unknown {
    if ((args[0] as { method?: unknown } | null | undefined)?.method === METHOD) changes.count++;
    return receive.apply(this, args);
  };
  try {
    transport.onmessage = tapped;
    return transport.onmessage === tapped;
  } catch {
    return false;
  }
}

/** Version 2 of the SDK takes the method of a notification; version 1 takes a schema, of which it reads these members. */
function setHandler(client: MCPClient, changes: ListChanges): boolean {
  const schema = {
    shape: { method: { value: METHOD } },
    safeParse: (data: unknown) => ({ success: true, data }),
    parse: (data: unknown) => data,
  };
  for (const method of [METHOD, schema]) {
    try {
      if (typeof client.setNotificationHandler !== "function") return false;
      client.setNotificationHandler(method, () => {
        changes.count++;
      });
      return true;
    } catch {
      // The other version.
    }
  }
  return false;
}
