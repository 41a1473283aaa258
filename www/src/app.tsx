import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Brief } from "./panes/brief.tsx";
import { Header } from "./panes/header.tsx";
import { NoticeBar } from "./panes/notice.tsx";
import { Output } from "./panes/output.tsx";
import { Repl } from "./panes/repl.tsx";
import { Turns } from "./panes/turns.tsx";
import { type TabName, tab } from "./tab.ts";

type Side = "history" | "messages";

/** The side that is shown where both don't fit beside each other. */
const side = signal<Side>("history");

const sides: readonly { readonly name: Side; readonly label: string }[] = [
  { name: "history", label: "History" },
  { name: "messages", label: "Messages" },
];

export function App() {
  return (
    <>
      <Header />
      <NoticeBar />
      <main class="tab-panels">
        <Panel name="turns">
          <TurnsTab />
        </Panel>
        <Panel name="repl">
          <Repl />
        </Panel>
      </main>
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

function TurnsTab() {
  return (
    <>
      <nav class="sides" aria-label="Side shown">
        {sides.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-pressed={side.value === name}
            onClick={() => {
              side.value = name;
            }}
          >
            {label}
          </button>
        ))}
      </nav>
      <div class="panes" data-side={side.value}>
        <section class="pane" id="history" aria-label="History">
          <Brief />
          <Turns />
        </section>
        <section class="pane" id="messages" aria-label="Messages">
          <Output />
        </section>
      </div>
    </>
  );
}
