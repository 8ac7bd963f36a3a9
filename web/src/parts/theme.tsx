// Light, dark or as the system says.
import { useEffect, useState } from "preact/hooks";
import { remembered } from "../lib/remembered";

type Theme = "system" | "light" | "dark";
const THEMES: Theme[] = ["system", "light", "dark"];
const kept = remembered("unscatter.theme");

export function startTheme(): void {
  apply(read());
}

export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(read);
  useEffect(() => {
    apply(theme);
    kept.set(theme === "system" ? null : theme);
  }, [theme]);
  return (
    <label class="theme-choice">
      <span>Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function read(): Theme {
  const theme = kept.get() as Theme;
  return THEMES.includes(theme) ? theme : "system";
}

// Plots read their colours from the style sheet, so they have to hear of a change.
function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  window.dispatchEvent(new Event("unscatter-theme"));
}
