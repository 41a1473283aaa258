import "../../style/sharing.css";
import { Modal } from "../../controls/modal.tsx";
import { dialog } from "../../page/shortcuts.ts";
import { markSafe } from "../../states/recent-states.ts";
import { deleteStoredStates } from "../../states/stored-states.ts";

/** The dialog that asks before all data of the user is removed, because that can't be undone. */
export const Forget = () => (
  <Modal label="Clear and forget" class="forget">
    <h2>Clear everything you had here?</h2>
    <p>
      This clears what you typed, what you opened, the answers of models, the steps of “Undo”, the endpoint’s key, and
      what this browser stores of them. “Keep my work in this browser” is then off. This can’t be undone.
    </p>
    <p class="field-hint">
      Links that you opened stay in the browser’s history, and other tabs keep what they show. The page’s own files stay
      for use without a network; they contain nothing of yours.
    </p>
    <div class="modal-buttons">
      <button
        type="button"
        class="button"
        autofocus
        onClick={() => {
          dialog.value = null;
        }}
      >
        Cancel
      </button>
      <button type="button" class="button danger" onClick={forget}>
        Clear and forget
      </button>
    </div>
  </Modal>
);

/** Removes all data from the storage and the address, and loads the page again to clear the memory. */
function forget(): void {
  markSafe();
  deleteStoredStates();
  history.replaceState({ forgotten: true }, "", location.pathname + location.search);
  location.reload();
}
