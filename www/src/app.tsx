import { signal } from "@preact/signals";
import { Brief } from "./panes/brief.tsx";
import { Header } from "./panes/header.tsx";
import { NoticeBar } from "./panes/notice.tsx";
import { Output } from "./panes/output.tsx";
import { Turns } from "./panes/turns.tsx";

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
      <main class="panes" data-side={side.value}>
        <section class="pane" id="history" aria-label="History">
          <Brief />
          <Turns />
        </section>
        <section class="pane" id="messages" aria-label="Messages">
          <Output />
        </section>
      </main>
    </>
  );
}
