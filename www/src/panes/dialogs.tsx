import { Deferred } from "../controls/deferred.tsx";
import { dialog } from "../shortcuts.ts";

const loadPalette = async () => (await import("./palette.tsx")).Palette;

const loadShortcuts = async () => (await import("./shortcut-list.tsx")).ShortcutList;

const loadCard = async () => (await import("./result-card.tsx")).ResultCard;

const loadForget = async () => (await import("./forget.tsx")).Forget;

/** The open dialog. */
export function Dialogs() {
  switch (dialog.value) {
    case "palette":
      return <Deferred key="palette" load={loadPalette} what="The commands" />;
    case "shortcuts":
      return <Deferred key="shortcuts" load={loadShortcuts} what="The list of shortcuts" />;
    case "card":
      return <Deferred key="card" load={loadCard} what="The card" />;
    case "forget":
      return <Deferred key="forget" load={loadForget} what="This dialog" />;
    case null:
      return null;
  }
}
