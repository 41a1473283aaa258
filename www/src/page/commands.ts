import { examples } from "../examples/list.ts";
import { runAll } from "../running/running.ts";
import { perform, shareActions } from "../share/actions.ts";
import { openFindings } from "../share/review.ts";
import { labelOf, recentStates } from "../states/recent-states.ts";
import { reopenState } from "../states/reopen.ts";
import { addTurn, change, chooseStrategy, notice, openExample, reset, state } from "../states/store.ts";
import { canRedo, canUndo, redo, undo } from "../states/undo.ts";
import { strategies } from "../turns/options.ts";
import { dialog, redoKeys, undoKeys } from "./shortcuts.ts";
import { tab, tabs } from "./tab.ts";
import { theme, themes } from "./theme.ts";

export interface Command {
  readonly group: string;
  readonly label: string;
  readonly keys?: string;
  run(): unknown;
}

/** All commands that are available now. */
export function commands(): readonly Command[] {
  const strategy = state.value.strategy;
  return [
    ...(canUndo() ? [{ group: "Edit", label: "Undo", keys: undoKeys, run: undo }] : []),
    ...(canRedo() ? [{ group: "Edit", label: "Redo", keys: redoKeys, run: redo }] : []),
    { group: "Edit", label: "Add a turn", run: onTurns(addTurn) },
    { group: "Edit", label: "Run all turns", run: onTurns(() => void runAll()) },
    { group: "Edit", label: "Delete all turns", run: onTurns(() => change({ turns: [] }, "All turns deleted.")) },
    { group: "Edit", label: "Reset the example", run: reset },
    {
      group: "Open",
      label: "Paste a chat or open a file",
      run: () => {
        dialog.value = "open";
      },
    },
    ...tabs.map(({ name, label }) => ({
      group: "Show",
      label: `${label} tab`,
      run: () => {
        tab.value = name;
        requestAnimationFrame(() => document.getElementById(`tab-${name}`)?.focus());
      },
    })),
    ...strategies
      .filter(({ name }) => name !== strategy)
      .map(({ name, label }) => ({ group: "Strategy", label, run: onTurns(() => chooseStrategy(name)) })),
    ...examples.map(({ id, title }) => ({ group: "Example", label: title, run: () => openExample(id) })),
    ...recentStates.value.map((entry) => ({
      group: "Back to",
      label: labelOf(entry),
      run: () => reopenState(entry.id),
    })),
    {
      group: "Share",
      label: "Clear and forget",
      run: () => {
        dialog.value = "forget";
      },
    },
    ...shareActions.map((action) => ({
      group: "Share",
      label: action.label,
      run: async () => {
        // The menu lists the findings and asks about them.
        if (action.id !== "upload" && openFindings().length > 0) return document.getElementById("share")?.click();
        const { isDone, text } = await perform(action);
        if (text !== "") notice.value = { tone: isDone ? "info" : "problem", text, undo: null };
      },
    })),
    ...themes
      .filter(({ name }) => name !== theme.value)
      .map(({ name, label }) => ({
        group: "Theme",
        label: `${label} theme`,
        run: () => {
          theme.value = name;
        },
      })),
    { group: "Help", label: "Documents", run: () => open("./docs/index.html", "_blank", "noopener") },
    { group: "Help", label: "API reference", run: () => open("./docs/api/index.html", "_blank", "noopener") },
    {
      group: "Help",
      label: "Shortcuts",
      keys: "?",
      run: () => {
        dialog.value = "shortcuts";
      },
    },
  ];
}

/** Shows the tab of the turns before a command changes them. */
const onTurns = (run: () => void) => (): void => {
  if (tab.value !== "run" || run === addTurn) tab.value = "turns";
  run();
};

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The commands that contain all words of the query. Matches at the start of a word come first. */
export function matching(list: readonly Command[], query: string): readonly Command[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  const scored = list.flatMap((command) => {
    const text = ` ${fold(`${command.group} ${command.label}`)}`;
    const ranks = words.map((word) => (text.includes(` ${word}`) ? 0 : text.includes(word) ? 1 : null));
    if (ranks.includes(null)) return [];
    return [{ command, score: ranks.reduce<number>((sum, rank) => sum + (rank ?? 0), 0) }];
  });
  return scored.toSorted((a, b) => a.score - b.score).map(({ command }) => command);
}
