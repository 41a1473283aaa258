import { dialog } from "../../page/shortcuts.ts";
import { keeping, setKeeping, stored } from "../../states/recent-states.ts";

/** The switch for storing states in the browser, with a sentence about what is stored now. */
export const Keeping = () => (
  <footer class="keeping">
    <label>
      <input
        type="checkbox"
        role="switch"
        aria-checked={keeping.value}
        checked={keeping.value}
        aria-describedby="keeping-hint"
        onChange={(event) => setKeeping(event.currentTarget.checked)}
      />
      Keep my work in this browser
    </label>
    <span id="keeping-hint">{sentence()}</span>
    <button
      type="button"
      class="link"
      onClick={() => {
        dialog.value = "forget";
      }}
    >
      Clear and forget
    </button>
  </footer>
);

function sentence(): string {
  if (!keeping.value) return "Off: your work is gone when you close or reload this page.";
  if (stored.value === "nothing") return "On: your work will be stored here. There is none in this state yet.";
  if (stored.value === "too large") return "On, but this state is too large to store: download it with “Share”.";
  return "On: this state and the last five are in this browser’s storage.";
}
