/** How the pages look: as the system says, or as this browser's person has chosen. */
export const THEMES = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
export type Theme = (typeof THEMES)[number][0];

const PLACE = 'trading-proxy-theme';
const listeners = new Set<() => void>();

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(PLACE);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function subscribeTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(PLACE);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(PLACE, theme);
    document.documentElement.dataset.theme = theme;
  }
  for (const listener of [...listeners]) listener();
}
