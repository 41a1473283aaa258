import { Choices } from "../../controls/choices.tsx";
import { dialog, paletteKeys } from "../../page/shortcuts.ts";
import { theme, themes } from "../../page/theme.ts";
import { reset } from "../../states/store.ts";

/** The menu with rarely used actions. */
export function Menu({ close }: { readonly close: () => void }) {
  const open = (which: "palette" | "shortcuts"): void => {
    // The dialog returns the focus to the button when it is closed.
    close();
    dialog.value = which;
  };
  return (
    <>
      <Choices
        name="theme"
        legend="Theme"
        labelled
        options={themes}
        value={theme.value}
        onChange={(name) => {
          theme.value = name;
        }}
      />
      <ul class="popover-list">
        <li class="narrow-only">
          <a class="popover-item" href="./docs/index.html">
            Documents
          </a>
        </li>
        <li>
          <button type="button" class="popover-item" onClick={() => open("palette")}>
            <span>Commands</span>
            <kbd>{paletteKeys}</kbd>
          </button>
        </li>
        <li>
          <button type="button" class="popover-item" onClick={() => open("shortcuts")}>
            <span>Shortcuts</span>
            <kbd>?</kbd>
          </button>
        </li>
        <li>
          <button
            type="button"
            class="popover-item"
            aria-describedby="reset-hint"
            onClick={() => {
              close();
              reset();
            }}
          >
            Reset
          </button>
          <span class="field-hint" id="reset-hint">
            Restores the example; can be undone
          </span>
        </li>
      </ul>
    </>
  );
}
