import { render } from "preact";
import { followAddress } from "./address.ts";
import { App } from "./app.tsx";
import { embedded } from "./embedded.ts";
import { takeFiles } from "./files.ts";
import { followProvenance } from "./provenance.ts";
import { listenForKeys } from "./shortcuts.ts";
import { followTheme } from "./theme.ts";
import { rememberChanges } from "./undo.ts";
import { followWorks } from "./works.ts";
import "./style.css";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for the playground");

// Not awaited here: the code of a link and of an example imports this file’s chunk, and would wait for it.
void start(root);

async function start(root: HTMLElement): Promise<void> {
  followTheme();
  followWorks();
  await followAddress();
  followProvenance();
  rememberChanges();
  listenForKeys();
  takeFiles();
  render(<App />, root);

  if (embedded) void import("./embed.ts").then(({ listenToParent }) => listenToParent());
  // A development server's files change all the time, so they are not stored.
  else if (import.meta.env.PROD) void import("./offline.ts").then(({ keepForOffline }) => keepForOffline());
}
