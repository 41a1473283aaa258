import type { ComponentChildren } from "preact";
import { Deferred } from "./controls/deferred.tsx";
import { Sides } from "./controls/sides.tsx";
import { Brief } from "./panes/brief.tsx";
import { Dialogs } from "./panes/dialogs.tsx";
import { Header } from "./panes/header.tsx";
import { Look } from "./panes/look.tsx";
import { NoticeBar } from "./panes/notice.tsx";
import { Output } from "./panes/output.tsx";
import { Repl } from "./panes/repl.tsx";
import { Turns } from "./panes/turns.tsx";
import { type TabName, tab } from "./tab.ts";

/** A model, its endpoint and the trace of a run: nothing that the messages need. */
const loadRunTab = async () => (await import("./panes/run/tab.tsx")).RunTab;

/** Messages of others, and what becomes of them. */
const loadChatTab = async () => (await import("./panes/chat/tab.tsx")).ChatTab;

/** Typed calls of a model by a signature. */
const loadProgramsTab = async () => (await import("./panes/programs/tab.tsx")).ProgramsTab;

export function App() {
  return (
    <>
      <Header />
      <NoticeBar />
      <Look />
      <main class="tab-panels">
        <Panel name="turns">
          <TurnsTab />
        </Panel>
        <Panel name="run">
          <Deferred load={loadRunTab} what="The Run tab" />
        </Panel>
        <Panel name="repl">
          <Repl />
        </Panel>
        <Panel name="chat">
          <Deferred load={loadChatTab} what="The Chat tab" />
        </Panel>
        <Panel name="programs">
          <Deferred load={loadProgramsTab} what="The Programs tab" />
        </Panel>
      </main>
      <Dialogs />
    </>
  );
}

/** Only the panel that is shown has anything in it. */
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
