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
 * Names the client of a `User-Agent` in our own words, such as "Firefox on Windows", or "a program" for a browser that we do not know.
 * A thief may write any text into the header, so no mail repeats it (S-46).
 */
export function clientName(userAgent: string): string {
  const browser = userAgent.startsWith(BROWSER_START) ? nameIn(userAgent, BROWSERS) : null;
  if (browser === null) return PROGRAM;
  const system = nameIn(userAgent, SYSTEMS);
  return system === null ? browser : `${browser} on ${system}`;
}
