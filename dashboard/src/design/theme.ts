/** How the pages look: as the system says, or as this browser's person has chosen. */
export type Theme = 'system' | 'light' | 'dark';

const PLACE = 'trading-proxy-theme';

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(PLACE);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(PLACE);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(PLACE, theme);
  document.documentElement.dataset.theme = theme;
}
