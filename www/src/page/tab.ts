import { signal } from "@preact/signals";

export type TabName = "turns" | "run" | "repl" | "chat" | "programs";

export const tabs: readonly { readonly name: TabName; readonly label: string }[] = [
  { name: "turns", label: "Turns" },
  { name: "run", label: "Run" },
  { name: "repl", label: "REPL" },
  { name: "chat", label: "Chat" },
  { name: "programs", label: "Typed calls" },
];

export const firstTab: TabName = "turns";

/** The shown tab. */
export const tab = signal<TabName>(firstTab);

export const isTab = (name: string): name is TabName => tabs.some((candidate) => candidate.name === name);
