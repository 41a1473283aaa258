import { computed, effect, signal } from "@preact/signals";

const KEY = "turnfold-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const system = signal(systemDark.matches);
const chosen = signal<"light" | "dark" | null>(remembered());

export const dark = computed(() => (chosen.value === null ? system.value : chosen.value === "dark"));

/** A choice that is what the system says is no choice: the page follows the system again. */
export function toggleTheme(): void {
  const next = !dark.value;
  chosen.value = next === system.value ? null : next ? "dark" : "light";
}

systemDark.addEventListener("change", (event) => {
  system.value = event.matches;
});

effect(() => {
  const theme = chosen.value;
  if (theme === null) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing for this page shows the system's theme the next time.
  }
});

function remembered(): "light" | "dark" | null {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : null;
  } catch {
    return null;
  }
}
