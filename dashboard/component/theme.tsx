import { useState } from 'preact/hooks';

/** Light, dark or as the system says. The choice is no secret, so it outlives the session. */
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const themeKey = 'edgewise-theme';

function storedTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(themeKey)) ?? 'system';
  } catch {
    return 'system';
  }
}

function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

applyTheme(storedTheme());

export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme);
  const turn = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    applyTheme(next);
    setTheme(next);
    try {
      localStorage.setItem(themeKey, next);
    } catch {
      // Storage is switched off: the choice lasts as long as the page.
    }
  };
  return (
    <button type="button" class="quiet" onClick={turn} aria-label={`Colours: ${theme}. Change`}>
      {theme === 'system' ? 'Auto' : theme === 'light' ? 'Light' : 'Dark'}
    </button>
  );
}
