import { effect, signal } from "@preact/signals";
import { embedded, embedTheme } from "./embedded.ts";

/** The key that VitePress uses, so that the page and the documents share the theme. */
const KEY = "vitepress-theme-appearance";

export type Theme = "system" | "light" | "dark";

export const themes: readonly { readonly name: Theme; readonly label: string }[] = [
  { name: "system", label: "System" },
  { name: "light", label: "Light" },
  { name: "dark", label: "Dark" },
];

/** The chosen theme. */
export const theme = signal<Theme>(embedded ? embedTheme : remembered());

/** Applies the chosen theme, now and whenever it changes. */
export function followTheme(): void {
  effect(() => {
    const chosen = theme.value;
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    if (embedded) return;
    try {
      if (chosen === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, chosen);
    } catch {
      // Without storage, the next visit uses the system's theme.
    }
  });
}

function remembered(): Theme {
  try {
    const chosen = localStorage.getItem(KEY);
    return chosen === "light" || chosen === "dark" ? chosen : "system";
  } catch {
    return "system";
  }
}
