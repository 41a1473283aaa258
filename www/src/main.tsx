import { render } from "preact";
import { init } from "turnfold";
import wasm from "turnfold/turnfold.wasm?url";
import { App } from "./app.tsx";
import { embedded } from "./page/embedded.ts";
import { showFailures } from "./page/failures.ts";
import { takeFiles } from "./page/files.ts";
import { messageOf } from "./page/problem.ts";
import { hideHeaderOnScroll } from "./page/scrolling.ts";
import { listenForKeys } from "./page/shortcuts.ts";
import { followTheme } from "./page/theme.ts";
import { followAddress } from "./states/address.ts";
import { trackRecentStates } from "./states/recent-states.ts";
import { rememberChanges } from "./states/undo.ts";
import { followProvenance } from "./turns/provenance.ts";
import "./style.css";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no element with the id app");

// Not awaited here: the code of a link and of an example imports this file’s chunk, and would wait for it.
if (document.documentElement.dataset.browser === "new") void start(root);

declare global {
  /** The response with the wasm, which the built page requests before this script is loaded: see scripts/first-paint.mjs. */
  var fetchedWasm: Promise<Response> | undefined;

  /** Says why the page can't be loaded, with a button that tries again: see index.html. */
  function sayNotLoaded(why: string): void;
}

async function start(root: HTMLElement): Promise<void> {
  const started = init(globalThis.fetchedWasm ?? fetch(wasm));
  followTheme();
  trackRecentStates();
  if (import.meta.env.MODE === "studio") (await import("./studio/client.ts")).takeToken();
  try {
    await Promise.all([started, followAddress()]);
  } catch (error) {
    globalThis.sayNotLoaded(messageOf(error));
    throw error;
  }
  followProvenance();
  rememberChanges();
  listenForKeys();
  takeFiles();
  showFailures();
  hideHeaderOnScroll();
  // Replaces the shell in index.html.
  root.replaceChildren();
  render(<App />, root);

  if (embedded) void import("./page/embed.ts").then(({ listenToParent }) => listenToParent());
  // The files of a development server change often, so they are not stored.
  else if (import.meta.env.PROD && import.meta.env.MODE !== "studio")
    void import("./page/offline.ts").then(({ keepForOffline }) => keepForOffline());
}
