import type { ComponentChildren } from "preact";
import { Deferred } from "./controls/deferred.tsx";
import { Sides } from "./controls/sides.tsx";
import { embedded } from "./page/embedded.ts";
import { type TabName, tab } from "./page/tab.ts";
import { Dialogs } from "./panes/page/dialogs.tsx";
import { Header } from "./panes/page/header.tsx";
import { Keeping } from "./panes/page/keeping.tsx";
import { Lead } from "./panes/page/lead.tsx";
import { Look } from "./panes/page/look.tsx";
import { NoticeBar } from "./panes/page/notice.tsx";
import { Brief } from "./panes/turns/brief.tsx";
import { Output } from "./panes/turns/output.tsx";
import { Turns } from "./panes/turns/turns.tsx";

// The code of these tabs is loaded when they are first shown.
const loadReplTab = async () => (await import("./panes/repl/repl.tsx")).Repl;

const loadRunTab = async () => (await import("./panes/run/tab.tsx")).RunTab;

const loadChatTab = async () => (await import("./panes/chat/tab.tsx")).ChatTab;

const loadStudio = async () => (await import("./studio/studio.tsx")).Studio;

const loadProgramsTab = async () => (await import("./panes/programs/tab.tsx")).ProgramsTab;

export function App() {
  return (
    <>
      <SkipLink />
      <Header />
      {import.meta.env.MODE === "studio" ? <Deferred load={loadStudio} what="The list of sessions" /> : <Lead />}
      <NoticeBar />
      <Look />
      <main class="tab-panels" id="main" tabIndex={-1}>
        <Panel name="turns">
          <TurnsTab />
        </Panel>
        <Panel name="run">
          <Deferred load={loadRunTab} what="The Run tab" />
        </Panel>
        <Panel name="repl">
          <Deferred load={loadReplTab} what="The REPL tab" />
        </Panel>
        <Panel name="chat">
          <Deferred load={loadChatTab} what="The Chat tab" />
        </Panel>
        <Panel name="programs">
          <Deferred load={loadProgramsTab} what="The Programs tab" />
        </Panel>
      </main>
      {!embedded && <Keeping />}
      <Dialogs />
    </>
  );
}

/** A link for keyboards that skips the header. It does not change the address, which names the state of the page. */
const SkipLink = () => (
  // biome-ignore lint/a11y/useValidAnchor: it moves the focus within the page.
  <a
    class="skip"
    href="#main"
    onClick={(event) => {
      event.preventDefault();
      document.getElementById("main")?.focus();
    }}
  >
    Skip to the content
  </a>
);

/** A panel renders its content only while it is shown. */
const Panel = ({ name, children }: { readonly name: TabName; readonly children: ComponentChildren }) => (
  <div
    class="tab-panel"
    role="tabpanel"
    id={`panel-${name}`}
    aria-labelledby={`tab-${name}`}
    hidden={tab.value !== name}
  >
    {tab.value === name && children}
  </div>
);

const TurnsTab = () => (
  <Sides
    left="History"
    history={
      <>
        <Brief part="brief" />
        <Turns />
      </>
    }
    messages={<Output />}
  />
);
