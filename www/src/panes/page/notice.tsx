import { IconButton } from "../../controls/button.tsx";
import { notice } from "../../states/store.ts";
import { backTo } from "../../states/undo.ts";

/** The notice about the last action, with a button that undoes it. It stays until it is closed or replaced. */
export function NoticeBar() {
  const now = notice.value;
  return (
    <div role="status" class="notice-place">
      {now !== null && (
        <div class="notice" data-tone={now.tone}>
          <span>{now.text}</span>
          {now.undo !== null && (
            <button type="button" class="link" onClick={() => now.undo !== null && backTo(now.undo)}>
              {now.undoLabel ?? "Undo"}
            </button>
          )}
          <IconButton
            icon="remove"
            label="Close this note"
            onClick={() => {
              notice.value = null;
            }}
          />
        </div>
      )}
    </div>
  );
}
