/** Pages that are looked at each day. */
export const DAILY = [
  { to: '/', label: 'Overview', key: 'o' },
  { to: '/portfolio', label: 'Portfolio', key: 'p' },
  { to: '/markets', label: 'Markets', key: 'm' },
  { to: '/activity', label: 'Activity', key: 'a' },
] as const;
export const SET_UP = [
  { to: '/bots', label: 'Bots', key: 'b' },
  { to: '/api-key', label: 'API key', key: null },
  { to: '/credentials', label: 'Exchanges', key: null },
  { to: '/profile', label: 'Profile', key: null },
] as const;

/** All of them; those with a key are reached by `g` and that. */
export const PAGES = [...DAILY, ...SET_UP] as const;
export type PagePath = (typeof PAGES)[number]['to'];
