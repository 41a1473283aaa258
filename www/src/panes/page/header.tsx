import { IconButton } from "../../controls/button.tsx";
import { Deferred } from "../../controls/deferred.tsx";
import { Popover } from "../../controls/popover.tsx";
import { embedded } from "../../page/embedded.ts";
import { messageOf } from "../../page/problem.ts";
import { dialog, redoKeys, undoKeys } from "../../page/shortcuts.ts";
import { isLeadShown, origin, showProblem } from "../../states/store.ts";
import { announcement, canRedo, canUndo, redo, undo } from "../../states/undo.ts";
import { openAnything } from "./lead.tsx";
import { Tabs } from "./tabs.tsx";

const loadShare = async () => (await import("./share.tsx")).Share;

const loadMenu = async () => (await import("./menu.tsx")).Menu;

export function Header() {
  return (
    <header class="header" data-embedded={embedded || undefined}>
      {!embedded && <Brand />}
      <Tabs />
      <div class="header-tools">
        {!embedded && <ExamplePicker />}
        <History />
        {embedded ? <OpenLink /> : <Tools />}
      </div>
    </header>
  );
}

const Brand = () => (
  <div class="brand">
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path class="mark-top" d="M3 4h18l-9 7z" />
      <path class="mark-left" d="M3 4l9 7v10l-9-8z" />
      <path class="mark-right" d="M21 4l-9 7v10l9-8z" />
    </svg>
    <h1>Turnfold</h1>
  </div>
);

/** The button that opens the examples, with the name of the opened one. */
function ExamplePicker() {
  const title = origin.value?.title ?? "Your own";
  return (
    <button
      type="button"
      id="example"
      class="button picker"
      aria-haspopup="dialog"
      aria-label={`Examples: ${title}`}
      onClick={() => {
        dialog.value = "examples";
      }}
    >
      <strong>Examples</strong> <span>{title}</span>
    </button>
  );
}

const History = () => (
  <div class="history-buttons">
    <IconButton icon="undo" label={`Undo (${undoKeys})`} disabled={!canUndo()} onClick={undo} />
    <IconButton icon="redo" label={`Redo (${redoKeys})`} disabled={!canRedo()} onClick={redo} />
    <span role="status" class="visually-hidden">
      {announcement.value}
    </span>
  </div>
);

const Tools = () => (
  <>
    {!isLeadShown() && (
      <button type="button" class="button" title="Paste a chat or open a file" onClick={openAnything}>
        Open
      </button>
    )}
    <Popover id="share" label="Share">
      {(close) => <Deferred load={loadShare} props={{ close }} what="The share menu" />}
    </Popover>
    <a class="button" href="./docs/index.html">
      Docs
    </a>
    <Popover id="menu" label="Menu" icon="menu">
      {(close) => <Deferred load={loadMenu} props={{ close }} what="The menu" />}
    </Popover>
  </>
);

/** The link that opens the state of the frame in the full playground. */
const OpenLink = () => (
  <a
    class="button"
    href="./"
    target="_blank"
    rel="noopener"
    onClick={async (event) => {
      event.preventDefault();
      const { linkNow } = await import("../../share/link.ts");
      try {
        open(await linkNow(true), "_blank", "noopener");
      } catch (error) {
        showProblem(messageOf(error));
      }
    }}
  >
    Open in the playground
  </a>
);
