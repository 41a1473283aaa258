// Links that open a program of a document in the playground.

import { deflateRawSync } from "node:zlib";

/** The address, from the root of the site, of the playground with a program in its REPL. */
export function replLink(program: string): string {
  const state = JSON.stringify({ program });
  return `index.html#v1=${deflateRawSync(state).toString("base64url")}&tab=repl`;
}
