/**
 * Words by which a family of browsers is known. Chrome and Safari come last, since other browsers name these two beside
 * themselves.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

/** Android names Linux too, and an iPad a Mac. */
const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Macintosh', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

const BROWSER_START = 'Mozilla/5.0 (';
const PROGRAM = 'a program';

function nameIn(userAgent: string, names: readonly (readonly [sign: string, name: string])[]): string | null {
  return names.find(([sign]) => userAgent.includes(sign))?.[1] ?? null;
}

/**
 * The client of a `User-Agent` in our own words, as "Firefox on Windows"; "a program" for what is no browser we know. Its own
 * text is whatever a thief chose to write, and stands in no mail of ours (S-46).
 */
export function clientName(userAgent: string): string {
  const browser = userAgent.startsWith(BROWSER_START) ? nameIn(userAgent, BROWSERS) : null;
  if (browser === null) return PROGRAM;
  const system = nameIn(userAgent, SYSTEMS);
  return system === null ? browser : `${browser} on ${system}`;
}
