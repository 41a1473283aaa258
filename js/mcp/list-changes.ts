import { announcesChanges, type MCPClient } from "./mcp-client.ts";

const METHOD = "notifications/tools/list_changed";

/** How often a server announced that its list of tools changed. */
export interface ListChanges {
  count: number;
}

/** The changes that were announced by transports and clients, each of which is observed once, whatever number of lists reads it. */
const observed = new WeakMap<object, ListChanges>();

/**
 * The counter of the changes that the server announces: another object after the client was connected to another transport, null
 * while it is closed.
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
  observed.set(key, changes);
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
      if ((args[0] as { method?: unknown } | null | undefined)?.method === METHOD) changes.count++;
      return receive.apply(this, args);
    };
  } catch {
    // A transport that can't be changed can't be observed.
  }
}

/** Version 2 of the SDK takes the method of a notification; version 1 takes a schema, of which it reads these members. */
function setHandler(client: MCPClient, changes: ListChanges): void {
  const schema = {
    shape: { method: { value: METHOD } },
    safeParse: (data: unknown) => ({ success: true, data }),
    parse: (data: unknown) => data,
  };
  for (const method of [METHOD, schema]) {
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
