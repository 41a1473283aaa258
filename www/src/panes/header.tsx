import { IconButton } from "../controls/button.tsx";
import { examples } from "../examples/index.ts";
import { openExample, origin, reset } from "../store.ts";
import { dark, toggleTheme } from "../theme.ts";
import { Tabs } from "./tabs.tsx";

export function Header() {
  const current = origin.value;
  return (
    <header class="header">
      <div class="brand">
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
          <path class="mark-top" d="M3 4h18l-9 7z" />
          <path class="mark-left" d="M3 4l9 7v10l-9-8z" />
          <path class="mark-right" d="M21 4l-9 7v10l9-8z" />
        </svg>
        <h1>Turnfold</h1>
        <p class="tagline">Edit an agent’s turns, see the message its model gets next.</p>
      </div>
      <Tabs />
      <div class="header-tools">
        <label class="picker">
          <span>Example</span>
          <select
            id="example"
            aria-label="Example"
            class="input"
            value={current?.id ?? ""}
            onChange={(event) => openExample(event.currentTarget.value)}
          >
            {current === null && <option value="">From a link</option>}
            {examples.map((example) => (
              <option key={example.id} value={example.id}>
                {example.title}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button" onClick={reset}>
          Reset
        </button>
        <a class="button" href="./docs/index.html">
          Docs
        </a>
        <IconButton icon={dark.value ? "sun" : "moon"} label="Dark theme" pressed={dark.value} onClick={toggleTheme} />
      </div>
    </header>
  );
}
