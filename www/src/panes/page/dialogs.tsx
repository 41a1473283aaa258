import { Deferred } from "../../controls/deferred.tsx";
import { dialog } from "../../page/shortcuts.ts";

const loadPalette = async () => (await import("./palette.tsx")).Palette;

const loadShortcuts = async () => (await import("./shortcut-list.tsx")).ShortcutList;

const loadCard = async () => (await import("../repl/result-card.tsx")).ResultCard;

const loadForget = async () => (await import("./forget.tsx")).Forget;

const loadGallery = async () => (await import("../../gallery/gallery.tsx")).Gallery;

const loadOpenDialog = async () => (await import("./open-dialog.tsx")).OpenDialog;

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
    case "open":
      return <Deferred key="open" load={loadOpenDialog} what="The dialog" />;
    case "examples":
      return <Deferred key="examples" load={loadGallery} what="The list of examples" />;
    case null:
      return null;
  }
}
