// The theme of the pages of documents: the one chosen in the playground, and the button that changes it.

const KEY = "turnfold-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(theme: string | null): void {
  try {
    if (theme === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Without storage, the next visit has the system's theme.
  }
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? systemDark.matches : theme === "dark";
}

function show(theme: string | null): void {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

// Before the first paint.
show(remembered());

document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector<HTMLButtonElement>("#theme");
  if (button === null) return;
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  button.hidden = false;
  button.addEventListener("click", () => {
    const dark = !isDark();
    const theme = dark === systemDark.matches ? null : dark ? "dark" : "light";
    show(theme);
    remember(theme);
    tell();
  });
  systemDark.addEventListener("change", tell);
  tell();
});
